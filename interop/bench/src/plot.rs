//! Plots as SVG.

use plotters::{
    coord::{
        cartesian::Cartesian2d,
        combinators::{IntoLogRange, LogCoord},
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
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart = frame(&root, title)
                .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
            mesh(&mut chart, &axes)?;
            for (i, line) in lines.iter().enumerate() {
                let color = COLORS[i % COLORS.len()];
                let points = line.points.iter().copied();
                let series = LineSeries::new(points.clone(), color.stroke_width(2)).point_size(3);
                let drawn = chart.draw_series(series)?;
                drawn.label(&line.name).legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2))
                });
            }
            legend(&mut chart, axes.names)?;
            root.present()?;
        }
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
        let lines: Vec<Line> = figures
            .into_iter()
            .map(|line| Line {
                points: bins(&line.points, x.0, step),
                name: line.name,
            })
            .collect();
        let shares = lines.iter().flat_map(|line| &line.points);
        let top = 1.2 * shares.fold(1.0, |top: f64, (_, share)| top.max(*share));
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart =
                frame(&root, title).build_cartesian_2d((x.0..x.1).log_scale(), 0.0..top)?;
            chart
                .configure_mesh()
                .light_line_style(WHITE)
                .x_desc(axes.x)
                .y_desc(axes.y)
                .x_label_formatter(&label)
                .draw()?;
            for (i, line) in lines.iter().enumerate() {
                let color = COLORS[i % COLORS.len()];
                let stairs = line
                    .points
                    .iter()
                    .flat_map(|(x, share)| [(*x, *share), (x * step, *share)]);
                let drawn = chart.draw_series(LineSeries::new(stairs, color.stroke_width(2)))?;
                drawn.label(&line.name).legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2))
                });
            }
            legend(&mut chart, axes.names)?;
            root.present()?;
        }
        Ok(Self { name, title, svg })
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type LogChart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

fn frame<'a, 'b>(root: &'a Area<'b>, title: &str) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(root);
    chart
        .caption(title, (FONT, 18))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(44)
        .y_label_area_size(64);
    chart
}

fn mesh(chart: &mut LogChart<'_, '_>, axes: &Axes) -> Result<()> {
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(axes.x)
        .y_desc(axes.y)
        .x_label_formatter(&label)
        .y_label_formatter(&label)
        .draw()?;
    Ok(())
}

fn legend<'a, 'b: 'a, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<LogCoord<f64>, Y>>,
    position: SeriesLabelPosition,
) -> Result<()>
where
    Y: Ranged<ValueType = f64>,
{
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 13))
        .position(position)
        .draw()?;
    Ok(())
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
