use super::*;

fn survey(queues: &[(&str, Stats)]) -> Survey {
    let counted = |(name, stats): &(&str, Stats)| ((*name).to_owned(), Ok(stats.clone()));
    queues.iter().map(counted).collect()
}

fn stats(pending: u64) -> Stats {
    Stats {
        pending,
        subscribers: 1,
        ..Stats::default()
    }
}

fn table(queues: &[(&str, Stats)]) -> Table {
    let mut table = Table::new();
    table.find(queues.iter().map(|it| it.0.to_owned()).collect());
    table.note(survey(queues));
    table
}

fn order(table: &Table) -> Vec<String> {
    let lines = table.listing(Instant::now()).lines;
    lines.into_iter().map(|it| it.queue).collect()
}

#[test]
fn queues_are_sorted_by_any_column_both_ways() {
    let overdue = Stats {
        overdue: 2,
        ..stats(1)
    };
    let mut table = table(&[("a", stats(1)), ("b", stats(5)), ("c", overdue)]);
    assert_eq!(order(&table), ["b", "a", "c"]);
    table.reverse();
    assert_eq!(order(&table), ["c", "a", "b"]);
    table.sort_by(1);
    assert_eq!(order(&table), ["c", "a", "b"], "by overdue");
    table.sort_by(-2);
    assert_eq!(order(&table), ["a", "b", "c"], "by name");
    table.sort_by(-1);
    assert_eq!(table.listing(Instant::now()).sort, Column::Note);
}

/// The selection is a queue, not a place: queues change places all the time.
#[test]
fn the_selected_queue_stays_selected_when_it_moves() {
    let mut table = table(&[("a", stats(1)), ("b", stats(5))]);
    table.select(1);
    assert_eq!(table.selected().unwrap(), "a");
    table.note(survey(&[("a", stats(9)), ("b", stats(5))]));
    assert_eq!(order(&table), ["a", "b"]);
    assert_eq!(table.selected().unwrap(), "a");
    assert_eq!(table.listing(Instant::now()).selected, Some(0));
    table.find(["b".to_owned()].into());
    assert_eq!(table.selected().unwrap(), "b");
}

#[test]
fn what_needs_an_operator_comes_first_by_note() {
    let stalled = Stats {
        overdue: 1,
        subscribers: 0,
        ..stats(1)
    };
    let dead = Stats {
        dead: 3,
        ..stats(1)
    };
    let mut table = table(&[("a", stats(9)), ("b", dead), ("c", stalled)]);
    table.sort_by(-2);
    assert_eq!(order(&table), ["c", "b", "a"]);
    let notes: Vec<_> = table.listing(Instant::now()).lines;
    let note = |line: &Line| line.cells[Column::Note.place()].clone();
    assert_eq!(note(&notes[0]), "stalled, nobody listens");
    assert_eq!(note(&notes[1]), "3 dead");
}

#[test]
fn a_queue_that_redis_refuses_to_count_says_why() {
    let mut table = table(&[("a", stats(1))]);
    table.note([("a".to_owned(), Err("WRONGTYPE".to_owned()))].into());
    let line = &table.listing(Instant::now()).lines[0];
    assert_eq!(line.severity, Severity::Bad);
    assert_eq!(line.cells[Column::Note.place()], "WRONGTYPE");
}
