//! Deliberate mistakes: what the model computes when it is to be caught.

/// A mistake in the meaning of policies. A test that cannot tell the model with a mistake from the
/// engine is no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A result does not carry the label of its call.
    ResultWithoutCall,
    /// A region does not carry the label of the region around it.
    RegionWithoutParent,
    /// A region that nothing labels is at the bottom.
    UnlabelledAtBottom,
    /// A cell that a region shows does not count if the region has a label of its own.
    OwnLabelInsteadOfCells,
    /// A result that does not have its shape has the label of its call.
    UnfitAtCall,
    /// The text of a failure has the label of its call.
    FailureAtCall,
    /// A notice is at the bottom.
    NoticeAtBottom,
    /// A data label that names no level is at the bottom.
    NamelessDataAtBottom,
    /// A bound that names no level is at the top.
    NamelessBoundAtTop,
    /// An undefined guard of a label holds.
    UndefinedGuardHolds,
    /// An undefined condition makes an `allow` rule fire.
    UndefinedAllows,
    /// An undefined condition keeps a `confirm` or `deny` rule from firing.
    UndefinedDoesNotAsk,
    /// Undefined or true is undefined.
    UndefinedSpreads,
    /// The last alternative whose guard holds counts.
    LastAlternative,
    /// The last rule that fires decides.
    LastRule,
    /// Null counts as there.
    NullIsPresent,
    /// Guards read the outermost record.
    OutermostRecord,
    /// A cell's guards read a record of any store.
    AnyStoresRecord,
    /// A cell's guards read the record around a region that shows the store at large.
    RecordForTheStore,
    /// Where there is no record its fields are absent.
    NoRecordIsAbsent,
    /// The context does not hold what the system and the user may write.
    NoFloor,
    /// The context is the label of the last message alone.
    ContextOfLastMessage,
    /// Arguments that the tool does not have are ignored.
    UnknownArgumentsIgnored,
    /// A default stands for null, too.
    DefaultForNull,
    /// What a call leaves out stays out.
    NoDefaults,
    /// Answers are recorded last call first.
    AnswersReversed,
    /// A plain number is no text.
    NumberIsNoText,
    /// What stands without quotes in JSON or Python may be text.
    WordIsText,
    /// A name may stand in a record or a map twice.
    NamesMayRepeat,
    /// The name of a value of a map is as free as the map.
    NameAtMap,
    /// A value in a text of a form does not carry the labels of those before it.
    ValuesOfFormApart,
}

impl Flaw {
    /// Every flaw.
    pub const ALL: [Self; 31] = [
        Self::ResultWithoutCall,
        Self::RegionWithoutParent,
        Self::UnlabelledAtBottom,
        Self::OwnLabelInsteadOfCells,
        Self::UnfitAtCall,
        Self::FailureAtCall,
        Self::NoticeAtBottom,
        Self::NamelessDataAtBottom,
        Self::NamelessBoundAtTop,
        Self::UndefinedGuardHolds,
        Self::UndefinedAllows,
        Self::UndefinedDoesNotAsk,
        Self::UndefinedSpreads,
        Self::LastAlternative,
        Self::LastRule,
        Self::NullIsPresent,
        Self::OutermostRecord,
        Self::AnyStoresRecord,
        Self::RecordForTheStore,
        Self::NoRecordIsAbsent,
        Self::NoFloor,
        Self::ContextOfLastMessage,
        Self::UnknownArgumentsIgnored,
        Self::DefaultForNull,
        Self::NoDefaults,
        Self::AnswersReversed,
        Self::NumberIsNoText,
        Self::WordIsText,
        Self::NamesMayRepeat,
        Self::NameAtMap,
        Self::ValuesOfFormApart,
    ];
}
