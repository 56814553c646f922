use super::*;

/// The list that holds these members, read whole while nothing happened.
fn survey(members: &[Vec<u8>]) -> Survey {
    let hasher = RandomState::new();
    let places = (0..).zip(members);
    Survey {
        places: places.map(|(i, it)| (hasher.hash_one(it), i)).collect(),
        hasher,
        page: 2_000,
        took: Duration::from_millis(100),
        gone: Counts::new(members.len()),
        runs: 0,
        is_exact: true,
        helped: false,
        has_lost: false,
        astray: 0,
    }
}

fn ran(moved: usize, unplaced: usize, quarantined: Vec<Vec<u8>>) -> Transferred {
    Transferred {
        moved,
        head_us: Some(0),
        server_us: 0,
        claimable: 0,
        quarantined,
        is_paused: false,
        occurs_us: None,
        expired: Vec::new(),
        unplaced,
        had_moved: false,
    }
}

fn member(id: &[u8], payload: &str) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let id = [&[id.len() as u8][..], id].concat();
    [&id[..], &length, payload.as_bytes()].concat()
}

/// How many do cannot be told, and whether those that did were counted.
#[test]
fn what_is_unreadable_and_may_stand_is_not_taken_for_gone_for_certain() {
    let members: Vec<_> = (0..100_u64)
        .map(|i| member(&i.to_be_bytes(), "payload"))
        .collect();
    let mut survey = survey(&members);
    let heads = &members[..10];
    survey.forget(heads, &ran(8, 0, Vec::new()));
    assert!(survey.is_exact);
    // Two of these can not be read, and one of them was left.
    survey.forget(&members[10..20], &ran(8, 0, vec![members[10].clone()]));
    assert!(!survey.is_exact);
}

/// The script knows each by the bytes behind the first alone.
#[test]
fn members_that_begin_alike_have_no_places() {
    let members: Vec<_> = ["payload 1", "payload 2", "another 3"]
        .map(|it| member(b"", it))
        .into();
    let guesses = survey(&members).guesses(&members);
    let mut expected = Guesses::new(true);
    expected.add(&members[2], 2);
    assert_eq!(guesses, expected);
}

/// It holds so many bytes only, and then half of what is due may have no place.
#[test]
fn a_survey_that_helps_a_few_runs_is_not_made_again_at_once() {
    let members: Vec<_> = (0..100_u64)
        .map(|i| member(&i.to_be_bytes(), "payload"))
        .collect();
    let mut placing = Placing::Known(survey(&members));
    let ran = ran(3, 1_000, Vec::new());
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
