//! Random calls of the crate's scripts.

use std::collections::BTreeMap;

use rand::RngExt;

use crate::{
    values::{Text, Values},
    wire::Script,
};

pub(crate) const NAMES: &[&str] = &[
    "claim",
    "conclude",
    "consume",
    "dequarantine",
    "end_leases",
    "expire",
    "find",
    "fire",
    "give_back",
    "join",
    "leased",
    "letters",
    "limit",
    "mark",
    "move",
    "offer",
    "offer_keyed",
    "offer_unique_listed",
    "oldest",
    "page",
    "pending_under",
    "poll_last",
    "put_back",
    "relay",
    "release",
    "relocate",
    "remove",
    "remove_letter",
    "requeue_letters",
    "reschedule",
    "retain",
    "schedule",
    "schedules",
    "seek",
    "sift",
    "starts",
    "transfer",
    "unschedule",
    "upcoming",
    "withdraw",
];

/// Those that the others need to find anything.
const FREQUENT: &[&str] = &[
    "offer",
    "offer",
    "offer_keyed",
    "transfer",
    "transfer",
    "claim",
    "consume",
    "conclude",
    "schedule",
];

/// A call of any script, and the name of the script.
pub(crate) fn any(
    values: &mut Values<'_>,
    scripts: &BTreeMap<String, Script>,
) -> (&'static str, Vec<Text>) {
    let names = if values.chance(1, 2) { FREQUENT } else { NAMES };
    let name = values.one_of(names);
    (name, of(values, name, &scripts[name]))
}

/// A call of this script.
pub(crate) fn of(values: &mut Values<'_>, name: &str, script: &Script) -> Vec<Text> {
    let mut words: Vec<Text> = vec![b"EVAL".to_vec(), script.text.clone().into()];
    words.push(script.keys.len().to_string().into());
    let others = values.chance(1, 3);
    for key in &script.keys {
        let key = match (&**key, name) {
            ("set", _) => values
                .one_of(&["leases", "delivery_leases", "retries"])
                .to_owned(),
            ("source", _) => values.one_of(&["ordering", "timeouts"]).to_owned(),
            // A queue moves to another name, and back.
            (key, "relocate") if others => match key.strip_prefix("to_") {
                Some(key) => key.to_owned(),
                None => format!("to_{key}"),
            },
            (key, _) => key.to_owned(),
        };
        words.push(Values::key_of(&key));
    }
    words.extend(arguments(values, name));
    words
}

fn arguments(values: &mut Values<'_>, name: &str) -> Vec<Text> {
    let v = values;
    let text = |it: &str| Text::from(it);
    match name {
        "claim" => vec![
            v.most(4),
            if v.chance(1, 4) {
                text("0")
            } else {
                v.number(1, 5000)
            },
            v.call(),
            v.most_bytes(),
            v.number(0, 3),
            v.number(50, 500),
            v.number(1, 100),
            v.number(1, 32),
            v.number(0, 1),
            v.one_of(&["0", "0", "1"]).into(),
        ],
        "consume" => vec![
            v.most(4),
            v.number(0, 5000),
            v.call(),
            v.most_bytes(),
            v.number(0, 3),
            v.number(50, 500),
            v.number(1, 100),
            v.number(1, 32),
            v.number(0, 1),
            v.number(1, 3),
            text("q"),
            v.one_of(&["p", "s", "k"]).into(),
            v.number(0, 500),
            v.number(1, 3),
        ],
        "conclude" => {
            let decisions = v.several(3, |v| {
                vec![
                    v.one_of(&["a", "r", "b", "d", "e"]).into(),
                    v.token(),
                    v.number(0, 3000),
                    v.payload(),
                ]
            });
            [vec![text("moved"), text("q"), v.number(1, 3)], decisions].concat()
        }
        "dequarantine" => {
            let member = v.held_or(&["quarantine"], Values::member);
            vec![
                member,
                v.one_of(&["deliver", "restore"]).into(),
                v.payload(),
                text("channel"),
            ]
        }
        "end_leases" => v.several(3, |v| vec![v.held_or(&["leases"], Values::new_origin)]),
        "expire" => match v.random.random_range(0..3) {
            0 => vec![text("at"), v.moment()],
            1 => vec![text("in"), v.number(1, 100_000)],
            _ => vec![text("never"), text("0")],
        },
        "find" => vec![v.number(0, 3), v.number(0, 10), v.payload()],
        "fire" => {
            let (name, stood) = v
                .scored("periodic_due")
                .first()
                .cloned()
                .unwrap_or((text("daily"), text("1")));
            let mut schedule = text("{}");
            if let Some(at) = v.held("periodic").iter().position(|it| *it == name) {
                let line = v.held("periodic")[at + 1].clone();
                schedule = line
                    .split(|it| *it == b'\n')
                    .next()
                    .unwrap_or_default()
                    .to_vec();
            }
            let next = if v.chance(1, 3) {
                Text::new()
            } else {
                v.moment()
            };
            let elements = v.several(3, |v| vec![v.id(), v.moment()]);
            [vec![name, stood, schedule, next, text("channel")], elements].concat()
        }
        "give_back" => [
            vec![text("moved"), v.one_of(&["LPUSH", "RPUSH"]).into()],
            v.several(3, |v| vec![v.token()]),
        ]
        .concat(),
        "join" => {
            let joining = v.several(3, |v| {
                let mut token = v.token();
                token.truncate(46);
                vec![
                    token,
                    v.number(0, 3000),
                    v.one_of(&["ka", "kb", "s", ""]).into(),
                ]
            });
            [vec![text("moved"), v.incarnation()], joining].concat()
        }
        "leased" => {
            let score = v.score_of_a_number();
            let from = match v.number(0, 2)[..] {
                [b'0'] => [text("-inf"), text("0"), text("0")],
                [b'1'] => [Text::new(), text("0"), text("0")],
                _ => [score, v.number(0, 2), v.number(0, 2)],
            };
            let sizes = [v.most(5), v.most_bytes(), v.number(10, 500)];
            let mine = match v.chance(1, 2) {
                true => vec![Text::new()],
                false => [vec![v.incarnation()], v.several(2, |v| vec![v.token()])].concat(),
            };
            [&from[..], &sizes, &mine].concat()
        }
        "letters" => vec![v.number(0, 2), v.number(0, 2), v.most(5), v.most_bytes()],
        "limit" if v.chance(1, 2) => vec![Text::new(), Text::new()],
        "limit" => vec![v.number(1, 2_000_000), v.number(1, 5)],
        "mark" => vec![],
        "move" => {
            let (taking, adding) = (v.one_of(&["LPOP", "RPOP"]), v.one_of(&["LPUSH", "RPUSH"]));
            vec![taking.into(), adding.into(), v.most(5), v.most_bytes()]
        }
        "offer" => {
            let values = v.several(3, |v| vec![v.fresh_member(), v.due()]);
            let remember = if v.chance(1, 2) {
                text("0")
            } else {
                v.number(1, 60_000)
            };
            [
                vec![
                    v.clock(),
                    text("channel"),
                    v.deadline(),
                    v.deadline(),
                    remember,
                ],
                values,
            ]
            .concat()
        }
        "offer_keyed" | "offer_unique_listed" => {
            let mut all = vec![
                v.fresh_member(),
                v.due(),
                v.clock(),
                text("channel"),
                v.deadline(),
                v.number(1, 60_000),
                v.number(0, 1),
                v.number(0, 1),
            ];
            match name {
                "offer_keyed" => {
                    all.push(v.one_of(&["ka", "kb", "u", "r"]).into());
                    all.push(if v.chance(1, 2) {
                        Text::new()
                    } else {
                        v.member()
                    });
                    all.push(v.number(0, 1));
                }
                _ => {
                    let end = v.member();
                    let mark = [&b"="[..], &end[..end.len().min(264)]].concat();
                    all.push(if v.chance(1, 2) {
                        Text::new()
                    } else {
                        v.member()
                    });
                    all.push(if v.chance(1, 2) { Text::new() } else { mark });
                    all.push(end.len().to_string().into());
                }
            }
            all
        }
        "oldest" => vec![v.most(5), v.most_bytes(), v.number(0, 3)],
        "page" | "seek" => {
            let (member, score) = v
                .scored("timeouts")
                .first()
                .cloned()
                .unwrap_or((text("x"), text("0")));
            let begins = v.chance(1, 2);
            let from = if begins {
                [Text::new(), Text::new()]
            } else {
                [score, member]
            };
            if name == "seek" {
                return [&from[..], &[v.most(5), v.payload()]].concat();
            }
            let lowest = v.one_of(&["-inf", "0"]).into();
            [
                &[lowest, text("+inf")][..],
                &from,
                &[v.most(5), v.most_bytes()],
            ]
            .concat()
        }
        "pending_under" => vec![v.one_of(&["ka", "kb", "u"]).into(), v.payload()],
        "poll_last" => vec![
            v.number(0, 60_000),
            v.number(0, 1),
            v.most_bytes(),
            v.number(0, 3),
        ],
        "put_back" => {
            let members = v.several(3, |v| {
                let score = if v.chance(1, 5) {
                    Text::new()
                } else {
                    v.moment()
                };
                vec![v.member(), score]
            });
            [
                vec![v.call(), v.number(1, 60_000), text("channel")],
                members,
            ]
            .concat()
        }
        "relay" => vec![v.most_bytes()],
        "release" => [
            vec![text("moved"), v.number(0, 1)],
            v.several(3, |v| vec![v.token()]),
        ]
        .concat(),
        "relocate" => vec![
            v.one_of(&["RENAME", "COPY"]).into(),
            v.number(0, 1),
            text("channel"),
        ],
        "remove" | "sift" => {
            let members = v.several(3, |v| {
                let member = v.member();
                let id = id_of(&member);
                vec![member, id]
            });
            let rest = [v.number(1, 60_000), v.call(), v.number(1, 60_000)];
            let first = if name == "remove" {
                vec![v.number(0, 1)]
            } else {
                vec![v.number(0, 3), v.number(0, 10)]
            };
            [first, rest.into(), members].concat()
        }
        "remove_letter" => {
            let note = if v.chance(1, 2) {
                Text::new()
            } else {
                v.held_or(&["dead_notes"], Values::payload)
            };
            let payload = v.held_or(&["dead"], Values::payload);
            vec![payload, note, v.number(0, 1), text("0"), text("0")]
        }
        "requeue_letters" => vec![v.most(5), v.most_bytes()],
        "reschedule" => {
            let member = v.member();
            let id = id_of(&member);
            vec![
                member,
                id,
                v.due(),
                v.number(0, 1),
                v.clock(),
                text("channel"),
                v.number(1, 60_000),
                v.call(),
                v.number(1, 60_000),
            ]
        }
        "retain" => {
            let kept = v.several(3, |v| vec![v.payload()]);
            [
                vec![
                    v.number(0, 2),
                    v.most(10),
                    v.number(1, 5),
                    text("no element"),
                ],
                kept,
            ]
            .concat()
        }
        "schedule" => vec![
            v.one_of(&["daily", "hourly"]).into(),
            text("{\"every\":1}"),
            v.payload(),
            v.moment(),
            v.clock(),
            v.number(0, 5000),
        ],
        "schedules" => vec![text("-inf"), text("0"), text("0"), v.most_bytes()],
        "starts" => vec![
            v.one_of(&["LRANGE", "ZRANGE"]).into(),
            v.number(0, 3),
            v.most(10),
            v.most_bytes(),
        ],
        "transfer" => {
            let waiting = v
                .one_of(&["", "0123456789abcdef", "0123456789abcdef0011223344556677"])
                .into();
            let guesses = guesses(v);
            let limit = match v.chance(1, 6) {
                true => text("0"),
                false => v.most(5),
            };
            vec![
                v.clock(),
                limit,
                v.one_of(&["0", "1000", "5000"]).into(),
                guesses,
                v.one_of(&["", "moved"]).into(),
                text("00112233aabbccdd"),
                v.number(0, 1),
                v.number(0, 2),
                waiting,
                Text::new(),
                v.number(0, 1),
            ]
        }
        "unschedule" => vec![v.one_of(&["daily", "hourly"]).into()],
        "upcoming" => vec![v.clock(), v.number(0, 5000), v.number(0, 1), v.most(3)],
        "withdraw" => {
            let scores: BTreeMap<Text, Text> = v.scored("timeouts").into_iter().collect();
            let members = v.several(3, |v| {
                let member = v.member();
                let seen = if v.chance(1, 5) {
                    None
                } else {
                    scores.get(&member).cloned()
                };
                let id = id_of(&member);
                vec![member, id, seen.unwrap_or_default()]
            });
            [vec![v.call(), v.number(1, 60_000)], members].concat()
        }
        other => panic!("no arguments for lua/{other}.lua"),
    }
}

/// The id that a packed member begins with.
fn id_of(member: &[u8]) -> Text {
    let size = usize::from(member.first().copied().unwrap_or_default());
    member.get(1..=size).unwrap_or_default().to_vec()
}

/// Where the first members stand in the ordering list, right or wrong.
fn guesses(v: &mut Values<'_>) -> Text {
    if v.chance(1, 2) {
        return Text::new();
    }
    let ordering = v.held("ordering");
    let mut guesses = v.one_of(&["0", "1"]).as_bytes().to_vec();
    for member in v.held("timeouts").iter().take(5).filter(|it| it.len() > 17) {
        guesses.extend_from_slice(&member[1..17]);
        let place = ordering.iter().position(|it| it == member);
        let place = if v.chance(1, 6) { Some(0) } else { place };
        let place = place.map_or(u32::MAX, |it| u32::try_from(it).unwrap());
        guesses.extend_from_slice(&place.to_le_bytes());
    }
    guesses
}
