//! A figure, the goal it was given, and the floor below which a change is a fault.

/// Which way is better.
#[derive(Clone, Copy)]
enum Better {
    More,
    Less,
}

/// What a figure is held to. Printed by [`Goal::judge`] as a row of the table of `benches/compare`.
#[derive(Clone, Copy)]
pub struct Goal {
    better: Better,
    goal: f64,
    floor: f64,
}

/// A figure that shall not be lower.
pub fn at_least(goal: f64) -> Goal {
    Goal { better: Better::More, goal, floor: goal }
}

/// A figure that shall not be higher.
pub fn at_most(goal: f64) -> Goal {
    Goal { better: Better::Less, goal, floor: goal }
}

impl Goal {
    /// Where the goal is not met: what is kept all the same.
    pub fn floor(mut self, floor: f64) -> Goal {
        self.floor = floor;
        self
    }

    /// Prints the row; `what` names the figure, its unit and what stands beside it.
    pub fn judge(self, subject: &str, what: &str, figure: f64) {
        let (word, reached): (_, fn(f64, f64) -> bool) = match self.better {
            Better::More => ("at least", |figure, bound| figure >= bound),
            Better::Less => ("at most", |figure, bound| figure <= bound),
        };
        let met = if reached(figure, self.goal) { "yes" } else { "no" };
        let floor = if reached(figure, self.floor) { "kept" } else { "BROKEN" };
        println!(
            "goal: | {subject} | {what} | {} | {word} {} | {met} | {} {floor} |",
            short(figure),
            short(self.goal),
            short(self.floor)
        );
    }
}

/// Three digits that count.
fn short(figure: f64) -> String {
    match figure.abs() {
        large if large >= 100.0 => format!("{figure:.0}"),
        middle if middle >= 10.0 => format!("{figure:.1}"),
        _ => format!("{figure:.2}"),
    }
}
