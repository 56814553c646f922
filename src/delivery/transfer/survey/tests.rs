use super::*;

/// The list that holds these members, read whole while nothing happened.
fn survey(members: &[Start]) -> Survey {
    let mut survey = Survey::empty();
    for (place, member) in members.iter().enumerate() {
        survey.add(member, place);
    }
    survey.gone = Counts::new(members.len());
    survey.took = Duration::from_millis(100);
    survey
}

fn ran(moved: usize, unplaced: usize) -> Transferred {
    Transferred {
        moved,
        head_us: Some(0),
        unplaced,
        came_first: true,
        ..Transferred::default()
    }
}

fn members(count: u128) -> Vec<Start> {
    (0..count).map(u128::to_be_bytes).collect()
}

/// Nobody can tell how many of the first members left in such a run, or where they stood.
#[test]
fn what_may_stand_is_not_taken_for_gone_for_certain() {
    let members = members(100);
    let others = Transferred {
        came_first: false,
        ..ran(8, 0)
    };
    let elsewhere = Transferred {
        had_moved: true,
        ..ran(8, 0)
    };
    for doubtful in [others, elsewhere] {
        let mut survey = survey(&members);
        survey.forget(&members[..10], &ran(8, 0));
        assert!(survey.is_exact);
        survey.forget(&members[10..20], &doubtful);
        assert!(!survey.is_exact);
    }
}

#[test]
fn what_left_moves_what_stood_behind_it() {
    let members = members(5);
    let mut survey = survey(&members);
    survey.forget(&[members[1], members[3]], &ran(2, 0));
    let mut expected = Guesses::new(true);
    expected.add(&members[0], Some(0));
    expected.add(&members[2], Some(1));
    expected.add(&members[4], Some(2));
    expected.add(&members[3], None);
    let asked = [members[0], members[2], members[4], members[3]];
    assert_eq!(survey.guesses(&asked), expected);
}

/// The script knows each by these bytes alone.
#[test]
fn members_that_begin_alike_have_no_places() {
    let (one, other, only_due) = ([1; 16], [2; 16], [3; 16]);
    let survey = survey(&[one, other, one, only_due]);
    let mut expected = Guesses::new(true);
    expected.add(&one, None);
    expected.add(&other, Some(1));
    expected.add(&only_due, None);
    expected.add(&only_due, None);
    assert_eq!(survey.guesses(&[one, other, only_due, only_due]), expected);
}

/// A survey holds a limited number of entries. In a longer list half of the due members may have no
/// place.
#[test]
fn a_survey_that_helps_a_few_runs_is_not_made_again_at_once() {
    let members = members(100);
    let mut placing = Placing::Known(survey(&members));
    let ran = ran(3, 1_000);
    placing.forget(&members[..10], &ran);
    let now = Instant::now();
    let mut no_survey_before = now;
    assert!(matches!(
        placing.after(&ran, &mut no_survey_before),
        Placing::Unknown
    ));
    assert!(no_survey_before >= now + Duration::from_millis(800));
    assert!(no_survey_before < now + Placing::PAUSE);
}
