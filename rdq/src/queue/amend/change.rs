//! One change of a queue.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::queue::base64::standard;

/// A member, where it stands, and where it will.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) before: Standing,
    pub(crate) after: Standing,
}

/// Where a member stands.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Standing {
    #[serde(with = "standard")]
    pub(crate) member: Bytes,
    pub(crate) score: Score,
    pub(crate) listed: ListPlace,
    /// Its score in the quarantine.
    pub(crate) quarantined: Option<String>,
}

/// The score of a member in the timeout set.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Score {
    /// It has none.
    None,
    /// It has one, which does not change.
    Any,
    /// As Redis spells it.
    Is(String),
}

/// Where a member stands in the ordering list.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ListPlace {
    /// That does not matter, and does not change.
    Any,
    Nowhere,
    /// At the end, where it was or will be pushed.
    Last,
    At(u64),
    /// At the first of these places, and at the second, which is nearer to the oldest entry. The third is how
    /// many of its entries are no newer than the first place; files of older versions lack it.
    Twice(u64, u64, #[serde(default = "two")] u64),
}

/// What a change does to the entry of its member in the ordering list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    Nothing,
    /// Removes the entry at this place.
    Remove(u64),
    /// Removes an entry near the newest.
    RemoveLast,
    Push,
    /// Inserts one at this place.
    Insert(u64),
    /// Writes what the member becomes over it.
    Write,
}

impl Change {
    /// The change that takes this one back.
    pub(crate) fn reversed(self) -> Self {
        Self {
            before: self.after,
            after: self.before,
        }
    }

    /// How many bytes it sends.
    pub(crate) fn bytes(&self) -> usize {
        self.before.member.len() + self.after.member.len()
    }

    pub(super) fn action(&self) -> Action {
        match (self.before.listed, self.after.listed) {
            (ListPlace::At(place), ListPlace::Nowhere)
            | (ListPlace::Twice(place, ..), ListPlace::At(_)) => Action::Remove(place),
            (ListPlace::Last, ListPlace::Nowhere) => Action::RemoveLast,
            (ListPlace::Nowhere, ListPlace::Last) => Action::Push,
            (ListPlace::Nowhere, ListPlace::At(place))
            | (ListPlace::At(_), ListPlace::Twice(place, ..)) => Action::Insert(place),
            (ListPlace::At(_), ListPlace::At(_)) if self.before.member != self.after.member => {
                Action::Write
            }
            _ => Action::Nothing,
        }
    }

    /// The nine arguments of `lua/amend.lua` for this change.
    pub(super) fn arguments(&self) -> [Bytes; 9] {
        let (before, after) = (&self.before, &self.after);
        let score = match &before.score {
            Score::None => String::new(),
            Score::Any => "*".to_owned(),
            Score::Is(score) => score.clone(),
        };
        let new_score = match &after.score {
            Score::None => String::new(),
            Score::Any => "=".to_owned(),
            Score::Is(score) => score.clone(),
        };
        let (place, other) = match before.listed {
            ListPlace::Any => (String::new(), String::new()),
            ListPlace::Nowhere => ("-".to_owned(), String::new()),
            ListPlace::Last => ("last".to_owned(), String::new()),
            ListPlace::At(place) => (place.to_string(), String::new()),
            ListPlace::Twice(place, other, _) => (place.to_string(), other.to_string()),
        };
        let action = match self.action() {
            Action::Nothing => String::new(),
            Action::Remove(_) | Action::RemoveLast => "remove".to_owned(),
            Action::Push => "push".to_owned(),
            Action::Insert(place) => place.to_string(),
            Action::Write => "write".to_owned(),
        };
        let quarantined = match (&before.quarantined, &after.quarantined) {
            (None, Some(score)) => score.clone(),
            (Some(_), None) => "out".to_owned(),
            _ => String::new(),
        };
        let times = match (self.action(), after.listed) {
            (Action::Insert(_), ListPlace::Twice(.., times)) => times.to_string(),
            (Action::Insert(_), _) => "1".to_owned(),
            _ => String::new(),
        };
        let text = |text: String| Bytes::from(text);
        [
            before.member.clone(),
            after.member.clone(),
            text(score),
            text(new_score),
            text(place),
            text(other),
            text(action),
            text(quarantined),
            text(times),
        ]
    }
}

fn two() -> u64 {
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of the score and the place of the member `M`.
    fn change(before: (Score, ListPlace), after: (Score, ListPlace)) -> Change {
        let standing = |(score, listed)| Standing {
            member: Bytes::from_static(b"M"),
            score,
            listed,
            quarantined: None,
        };
        Change {
            before: standing(before),
            after: standing(after),
        }
    }

    #[test]
    fn a_change_is_written_and_read_with_its_exact_bytes() {
        let mut change = change(
            (Score::Is("1.5".to_owned()), ListPlace::Twice(7, 3, 2)),
            (Score::Any, ListPlace::At(3)),
        );
        change.before.member = Bytes::from_static(b"\xff\0member");
        let text = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<Change>(&text).unwrap(), change);
    }

    #[test]
    fn a_file_of_an_older_version_has_members_that_stand_twice() {
        let place: ListPlace = serde_json::from_str(r#"{"twice":[7,3]}"#).unwrap();
        assert_eq!(place, ListPlace::Twice(7, 3, 2));
    }

    #[test]
    fn the_header_of_the_script_shows_the_arguments_of_each_kind_of_change() {
        use ListPlace::{Any, At, Last, Nowhere, Twice};
        let is = |score: &str| Score::Is(score.to_owned());
        let mut aside = change((is("17"), At(4)), (Score::None, Nowhere));
        aside.after.quarantined = Some("17".to_owned());
        let repeat = change((Score::Any, Twice(9, 4, 2)), (Score::Any, At(4)));
        let ghost = change((Score::None, At(4)), (Score::None, Nowhere));
        let missing = change((Score::Any, Nowhere), (Score::Any, Last));
        let mut migrated = change((Score::Any, At(4)), (Score::Any, At(4)));
        migrated.after.member = Bytes::from_static(b"N");
        let examples = [
            (
                "an odd score is replaced",
                change((is("-5"), Any), (is("0"), Any)),
            ),
            ("an unreadable member is set aside", aside.clone()),
            ("a second entry is removed", repeat.clone()),
            ("a ghost is removed", ghost.clone()),
            (
                "a ghost becomes due",
                change((Score::None, At(4)), (is("17"), At(4))),
            ),
            ("an entry is appended", missing.clone()),
            (
                "an unlisted member is removed",
                change((is("17"), Nowhere), (Score::None, Nowhere)),
            ),
            ("an old member becomes a new one", migrated),
            ("an unreadable member comes back", aside.reversed()),
            ("a second entry comes back", repeat.reversed()),
            ("a ghost comes back", ghost.reversed()),
            ("an appended entry is removed", missing.reversed()),
        ];
        let line = |(what, change): (&str, Change)| {
            let arguments = change.arguments();
            let [member, becomes, rest @ ..] = &arguments;
            let text = |it: &Bytes| String::from_utf8(it.to_vec()).unwrap();
            let rest: String = rest.iter().map(|it| format!(" '{}'", text(it))).collect();
            format!("--    {what:<34} {} {}{rest}", text(member), text(becomes))
        };
        let expected: Vec<_> = examples.into_iter().map(line).collect();
        let script = include_str!("../../../lua/amend.lua").lines();
        let shown = script
            .skip_while(|it| !it.starts_with("-- Examples"))
            .skip(1);
        let shown: Vec<_> = shown.take_while(|it| *it != "--").collect();
        assert_eq!(shown, expected);
    }
}
