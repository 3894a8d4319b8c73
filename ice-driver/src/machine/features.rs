//! In what processors and programs of one machine differ, as choices that a user, a triple or a module makes.

/// One of the features of a machine, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeatureId(pub u8);

/// A feature that has a name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The feature.
    pub feature: FeatureId,
    /// What stands behind the sign: the name that is offered, and others that are understood.
    pub names: &'static [&'static str],
    /// The values that are offered, with and without the feature.
    pub offers: [&'static str; 2],
    /// What it is, for the help.
    pub help: &'static str,
}

/// Which features of a machine are chosen, which are refused, and which are left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Those that are chosen or refused, as bits.
    decided: u32,
    /// Those that are chosen.
    chosen: u32,
}

impl Features {
    /// These, and this one chosen (`true`) or refused (`false`) whatever was said of it before.
    #[must_use]
    pub const fn with(self, feature: FeatureId, chosen: bool) -> Features {
        let bit = 1 << feature.0;
        let others = self.chosen & !bit;
        Features { decided: self.decided | bit, chosen: if chosen { others | bit } else { others } }
    }

    /// Whether the feature is chosen; `None` where it is left open.
    pub const fn get(self, feature: FeatureId) -> Option<bool> {
        let bit = 1 << feature.0;
        if self.decided & bit == 0 { None } else { Some(self.chosen & bit != 0) }
    }

    /// Whether the feature is chosen; not where it is left open.
    pub const fn has(self, feature: FeatureId) -> bool {
        self.chosen & 1 << feature.0 != 0
    }

    /// These, with those of another where they are left open.
    #[must_use]
    pub const fn or(self, other: Features) -> Features {
        let chosen = self.chosen | other.chosen & !self.decided;
        Features { decided: self.decided | other.decided, chosen }
    }
}

/// The features with what a value of `--mattr` such as `+name` or `-name` says, if one of the switches has that name.
/// A name without a sign chooses.
pub fn with_switch(switches: &[Switch], features: Features, value: &str) -> Option<Features> {
    let (name, chosen) = match value.strip_prefix('-') {
        Some(name) => (name, false),
        None => (value.strip_prefix('+').unwrap_or(value), true),
    };
    let switch = switches.iter().find(|switch| switch.names.contains(&name))?;
    Some(features.with(switch.feature, chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: [FeatureId; 3] = [FeatureId(0), FeatureId(1), FeatureId(31)];

    #[test]
    fn what_is_decided_first_wins() {
        let [a, b, c] = FEATURES;
        let features = Features::default().with(a, true).with(b, false);
        let other = Features::default().with(b, true).with(c, true);
        let both = features.or(other);
        assert_eq!([both.get(a), both.get(b), both.get(c)], [Some(true), Some(false), Some(true)]);
        assert_eq!([both.has(a), both.has(b), both.has(c)], [true, false, true]);
        assert_eq!(features.get(c), None);
        assert_eq!(features.with(a, false).get(a), Some(false));
    }

    #[test]
    fn switches_have_signs_and_other_names() {
        let [a, ..] = FEATURES;
        let switches = [Switch { feature: a, names: &["x", "y"], offers: ["+x", "-x"], help: "" }];
        let value = |text| with_switch(&switches, Features::default(), text).map(|features| features.get(a));
        assert_eq!(
            [value("+x"), value("y"), value("-y")],
            [Some(Some(true)), Some(Some(true)), Some(Some(false))]
        );
        assert_eq!([value("+z"), value(""), value("--x")], [None; 3]);
    }
}
