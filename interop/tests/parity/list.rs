//! `RQueue` and `RDeque` beside `BlockingQueue`.

use redisson_delayed_queue::Side::{First, Last};

use crate::row::{DUE, Row, Start::OtherOnly, differs, s, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)),
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)).on_empty(),
        same("queue add =", async |q| q.target.offer(&s("")).await.map(|()| true)),
        same("queue put =new", async |q| q.target.offer(&s("new")).await),
        same("queue offer =new 5 SECONDS", async |q| q.target.offer(&s("new")).await.map(|()| true)),
        same("deque offerLast =new", async |q| q.target.offer(&s("new")).await.map(|()| true)),
        same("deque addLast =new", async |q| q.target.offer(&s("new")).await),
        same("deque putLast =new", async |q| q.target.offer(&s("new")).await),
        same("deque offerFirst =new", async |q| q.target.offer_first(&s("new")).await.map(|()| true)),
        same("deque offerFirst =new", async |q| q.target.offer_first(&s("new")).await.map(|()| true)).on_empty(),
        same("deque addFirst =new", async |q| q.target.offer_first(&s("new")).await),
        same("deque putFirst =new", async |q| q.target.offer_first(&s("new")).await),
        same("deque push =new", async |q| q.target.offer_first(&s("new")).await),
        same("queue addAll [=1,=,=2]", async |q| q.target.add_all(&three()).await.map(|_| true)),
        same("queue addAll [=1,=,=2]", async |q| q.target.add_all(&three()).await.map(|_| true)).on_empty(),
        same("queue addAll []", async |q| q.target.add_all(&[]).await.map(|_| false)),
        same("deque addLast (=1,=,=2)", async |q| q.target.add_all(&three()).await),
        same("deque addFirst (=1,=,=2)", async |q| q.target.add_all_first(&three()).await),
        same("deque addFirst (=1,=,=2)", async |q| q.target.add_all_first(&three()).await).on_empty(),
        same("deque addFirstIfExists (=1,=,=2)", async |q| q.target.add_first_if_exists(&three()).await),
        same("deque addFirstIfExists (=1,=,=2)", async |q| q.target.add_first_if_exists(&three()).await).on_empty(),
        same("deque addLastIfExists (=1,=,=2)", async |q| q.target.add_last_if_exists(&three()).await),
        same("deque addLastIfExists (=1,=,=2)", async |q| q.target.add_last_if_exists(&three()).await).on_empty(),

        same("queue size", async |q| q.target.len().await),
        same("queue isEmpty", async |q| q.target.is_empty().await),
        same("queue isEmpty", async |q| q.target.is_empty().await).on_empty(),
        same("queue peek", async |q| q.target.peek().await),
        same("queue peek", async |q| q.target.peek().await).on_empty(),
        same("queue element", async |q| q.target.peek().await),
        differs("queue element", async |q| q.target.peek().await, EMPTY, NO_ELEMENT).on_empty(),
        same("deque peekFirst", async |q| q.target.peek().await),
        same("deque getFirst", async |q| q.target.peek().await),
        same("deque peekLast", async |q| q.target.peek_last().await),
        same("deque peekLast", async |q| q.target.peek_last().await).on_empty(),
        same("deque getLast", async |q| q.target.peek_last().await),
        differs("deque getLast", async |q| q.target.peek_last().await, EMPTY, NO_ELEMENT).on_empty(),
        same("queue indexOf =", async |q| q.target.index_of(&s("")).await).since("4.3.1"),
        same("queue indexOf =t", async |q| q.target.index_of(&s("t")).await).since("4.3.1"),
        same("queue indexOf =z", async |q| q.target.index_of(&s("z")).await).since("4.3.1").reading(|_| s("nil")),
        same("queue contains =t", async |q| q.target.contains(&s("t")).await),
        same("queue contains =", async |q| q.target.contains(&s("")).await),
        same("queue contains =z", async |q| q.target.contains(&s("z")).await),
        same("queue containsAll [=t,=,=a]", async |q| q.target.contains_all(&["t", "", "a"].map(s)).await),
        same("queue containsAll [=t,=z]", async |q| q.target.contains_all(&["t", "z"].map(s)).await),
        same("queue containsAll []", async |q| q.target.contains_all(&[]).await),
        same("queue readAll", async |q| q.target.read_all().await),
        same("queue readAll", async |q| q.target.read_all().await).on_empty(),
        same("queue iterator", async |q| q.target.read_all().await),
        same("queue toArray", async |q| q.target.read_all().await),
        same("deque descendingIterator", async |q| q.target.read_all().await.map(|all| all.into_iter().rev().collect::<Vec<_>>())),

        same("queue remove =t", async |q| q.target.remove(&s("t")).await),
        same("queue remove =", async |q| q.target.remove(&s("")).await),
        same("queue remove =z", async |q| q.target.remove(&s("z")).await),
        same("deque removeFirstOccurrence =t", async |q| q.target.remove(&s("t")).await),
        same("deque removeLastOccurrence =t", async |q| q.target.remove_last_occurrence(&s("t")).await),
        same("deque removeLastOccurrence =z", async |q| q.target.remove_last_occurrence(&s("z")).await),
        same("queue removeAll [=u,=z]", async |q| q.target.remove_all(&["u", "z"].map(s)).await.map(|n| n > 0)),
        same("queue removeAll [=t,=u]", async |q| q.target.remove_all(&["t", "u"].map(s)).await.map(|n| n > 0)),
        differs("queue removeAll [=t,=z]", async |q| q.target.remove_all(&["t", "z"].map(s)).await.map(|n| n > 0), "Redisson takes more than one equal element for none", ["answer: false", "answer: true"]),
        same("queue removeAll [=z]", async |q| q.target.remove_all(&["z"].map(s)).await.map(|n| n > 0)),
        same("queue removeAll []", async |q| q.target.remove_all(&[]).await.map(|n| n > 0)),
        same("queue retainAll [=t,=]", async |q| q.target.retain_all(&["t", ""].map(s)).await.map(|n| n > 0)),
        same("queue retainAll [=z]", async |q| q.target.retain_all(&["z"].map(s)).await.map(|n| n > 0)),
        same("queue retainAll []", async |q| q.target.retain_all(&[]).await.map(|n| n > 0)),
        same("queue retainAll [=t,=u,=,=ü\u{1f980},=a,=v]", async |q| q.target.retain_all(&DUE.map(s)).await.map(|n| n > 0)),
        same("queue retainAll [=t]", async |q| q.target.retain_all(&["t"].map(s)).await.map(|n| n > 0)).on_empty(),
        same("queue clear", async |q| q.target.clear().await),
        same("queue clear", async |q| q.target.clear().await).on_empty(),
        same("queue delete", async |q| q.target.clear().await.map(|()| true)),

        // Java returns the element, and Rust how many it moved.
        same("deque move >first,first,{other}", async |q| q.target.move_to(&q.other, First, First, 1).await.map(drop)).reading(|_| s("")),
        same("deque move >first,last,{other}", async |q| q.target.move_to(&q.other, First, Last, 1).await.map(drop)).reading(|_| s("")),
        same("deque move >last,first,{other}", async |q| q.target.move_to(&q.other, Last, First, 1).await.map(drop)).reading(|_| s("")),
        same("deque move >last,last,{other}", async |q| q.target.move_to(&q.other, Last, Last, 1).await.map(drop)).reading(|_| s("")),
        same("deque move >last,first,{other}", async |q| q.target.move_to(&q.other, Last, First, 1).await.map(drop)).on(OtherOnly).reading(|_| s("")),
    ]
}

fn three() -> [String; 3] {
    ["1", "", "2"].map(s)
}

const EMPTY: &str = "an empty queue is no error";

const NO_ELEMENT: [&str; 2] = ["answer: err NoSuchElementException", "answer: nil"];
