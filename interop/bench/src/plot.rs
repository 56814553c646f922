//! Plots as SVG.

use plotters::{
    coord::{
        combinators::IntoLogRange,
        ranged1d::{AsRangedCoord, ValueFormatter},
    },
    prelude::*,
};

use crate::Result;

/// A picture of the document.
#[derive(Debug)]
pub(crate) struct Plot {
    /// The name of its file, without the ending.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) svg: String,
}

/// The points of one contender.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// What stands along the two axes, and where there is room for the names of the lines.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) names: SeriesLabelPosition,
}

impl Plot {
    /// Both axes logarithmic; a point at or below zero is left out.
    pub(crate) fn log_log(
        name: &'static str,
        title: &'static str,
        axes: Axes,
        mut lines: Vec<Line>,
    ) -> Result<Self> {
        for line in &mut lines {
            line.points.retain(|(x, y)| *x > 0.0 && *y > 0.0);
        }
        let (x, y) = (bounds(&lines, |it| it.0), bounds(&lines, |it| it.1));
        let chart = Chart {
            title,
            axes,
            x,
            y: (y.0..y.1).log_scale(),
            format_y: &label,
            point_size: 3,
        };
        let svg = chart.draw(&lines)?;
        Ok(Self { name, title, svg })
    }

    /// How many of a hundred figures fall into each of equal steps of a logarithmic axis.
    pub(crate) fn histogram(
        name: &'static str,
        title: &'static str,
        axes: Axes,
        figures: Vec<Line>,
    ) -> Result<Self> {
        let x = bounds(&figures, |it| it.0);
        let step = (x.1 / x.0).powf(1.0 / BINS as f64);
        let mut top: f64 = 1.0;
        let stairs: Vec<Line> = figures
            .into_iter()
            .map(|line| {
                let bins = bins(&line.points, x.0, step);
                top = bins.iter().fold(top, |top, (_, share)| top.max(*share));
                let stairs = bins.iter().flat_map(|(x, y)| [(*x, *y), (x * step, *y)]);
                Line {
                    points: stairs.collect(),
                    name: line.name,
                }
            })
            .collect();
        let chart = Chart {
            title,
            axes,
            x,
            y: 0.0..1.2 * top,
            format_y: &|share| format!("{share:.1}"),
            point_size: 0,
        };
        let svg = chart.draw(&stairs)?;
        Ok(Self { name, title, svg })
    }
}

/// Lines over a logarithmic axis.
struct Chart<'a, Y> {
    title: &'a str,
    axes: Axes,
    x: (f64, f64),
    y: Y,
    format_y: &'a dyn Fn(&f64) -> String,
    /// Of the marks on each point; 0 for none.
    point_size: u32,
}

impl<Y> Chart<'_, Y>
where
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    /// As SVG.
    fn draw(self, lines: &[Line]) -> Result<String> {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&root)
                .caption(self.title, (FONT, 18))
                .margin(12)
                .margin_right(36)
                .x_label_area_size(44)
                .y_label_area_size(64)
                .build_cartesian_2d((self.x.0..self.x.1).log_scale(), self.y)?;
            chart
                .configure_mesh()
                .light_line_style(WHITE)
                .x_desc(self.axes.x)
                .y_desc(self.axes.y)
                .x_label_formatter(&label)
                .y_label_formatter(self.format_y)
                .draw()?;
            for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
                let style = color.stroke_width(2);
                let points = line.points.iter().copied();
                let series = LineSeries::new(points, style).point_size(self.point_size);
                let drawn = chart.draw_series(series)?;
                drawn
                    .label(&line.name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
            }
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .label_font((FONT, 13))
                .position(self.axes.names)
                .draw()?;
            root.present()?;
        }
        Ok(svg)
    }
}

fn label(figure: &f64) -> String {
    match *figure {
        whole if whole >= 1.0 => crate::table::grouped(whole.round() as i64),
        part => format!("{part}"),
    }
}

/// The whole powers of ten around the figures.
fn bounds(lines: &[Line], of: impl Fn(&(f64, f64)) -> f64) -> (f64, f64) {
    let figures = lines.iter().flat_map(|line| line.points.iter().map(&of));
    let figures = figures.filter(|it| *it > 0.0);
    let (min, max) = figures.fold((f64::MAX, f64::MIN_POSITIVE), |(min, max), it| {
        (min.min(it), max.max(it))
    });
    if min > max {
        return (1.0, 10.0);
    }
    let (min, max) = (min.log10().floor(), (max / 1.001).log10().ceil());
    (10f64.powf(min), 10f64.powf(max.max(min + 1.0)))
}

/// Where each step begins, and the share in it.
fn bins(points: &[(f64, f64)], start: f64, step: f64) -> Vec<(f64, f64)> {
    let mut counts = [0usize; BINS];
    for (figure, _) in points {
        let bin = (figure.max(start) / start).log(step).floor() as usize;
        counts[bin.min(BINS - 1)] += 1;
    }
    let share = |count: usize| 100.0 * count as f64 / points.len().max(1) as f64;
    let begin = |bin: usize| start * step.powi(i32::try_from(bin).unwrap_or(i32::MAX));
    let bins = counts.iter().enumerate();
    bins.map(|(bin, count)| (begin(bin), share(*count)))
        .collect()
}

const BINS: usize = 60;
const FONT: &str = "sans-serif";
const SIZE: (u32, u32) = (760, 420);
const COLORS: [RGBColor; 6] = [
    RGBColor(0x1b, 0x6e, 0xc2),
    RGBColor(0xd6, 0x45, 0x2b),
    RGBColor(0x4b, 0x9b, 0x4b),
    RGBColor(0x8a, 0x5a, 0xb5),
    RGBColor(0xc9, 0x8a, 0x1b),
    RGBColor(0x55, 0x55, 0x55),
];
