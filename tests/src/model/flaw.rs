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
    /// The order of an open lattice is never turned round.
    DualForgotten,
    /// Any set flows to any.
    SetsDoNotMatter,
    /// Sets join to their meet.
    JoinIsMeet,
    /// A value that names nothing adds no names.
    StrangeValueNamesNoOne,
    /// A value that names nothing makes a bound the top.
    StrangeValueFreesBound,
    /// An absent value marked as optional makes the whole set strict.
    OptionalIsStrict,
    /// An absent optional field adds no names even where names make a label stricter.
    OptionalFieldFrees,
    /// An optional field adds no names where there is no record.
    OptionalWithoutRecord,
    /// What a function does not give adds no names if it is optional.
    OptionalFunctionFrees,
    /// An optional value that is there and names nothing adds no names.
    OptionalTakesAnything,
    /// A map names nothing.
    MapNamesNothing,
    /// A list names the texts in it, whatever else is there.
    ListNamesItsTexts,
    /// No label is lowered.
    NoDowngrades,
    /// A label is lowered wherever it is.
    DowngradeFromAnything,
    /// The guard of a downgrade is not asked.
    DowngradeWithoutGuard,
    /// The value of a downgrade is not checked.
    DowngradeUnchecked,
    /// A guard or a check of a downgrade that is undefined holds.
    UndefinedLowers,
    /// A label is lowered to what the downgrade says, also where that is no lower.
    DowngradeIsTheLabel,
    /// A label may be lowered below that of the context.
    DowngradeBelowContext,
    /// A label may be lowered below that of the region around.
    DowngradeBelowParent,
    /// The label of the call is joined to what was lowered.
    DowngradeWithoutCall,
    /// Data that has an empty list of sources has none.
    SourcelessDataIsFree,
    /// A value that names nothing makes what is downgraded the top.
    NamelessFromAtTop,
    /// A value that names nothing makes what it is lowered to the bottom.
    NamelessToAtBottom,
}

impl Flaw {
    /// Every flaw.
    pub const ALL: [Self; 55] = [
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
        Self::DualForgotten,
        Self::SetsDoNotMatter,
        Self::JoinIsMeet,
        Self::StrangeValueNamesNoOne,
        Self::StrangeValueFreesBound,
        Self::OptionalIsStrict,
        Self::OptionalFieldFrees,
        Self::OptionalWithoutRecord,
        Self::OptionalFunctionFrees,
        Self::OptionalTakesAnything,
        Self::MapNamesNothing,
        Self::ListNamesItsTexts,
        Self::NoDowngrades,
        Self::DowngradeFromAnything,
        Self::DowngradeWithoutGuard,
        Self::DowngradeUnchecked,
        Self::UndefinedLowers,
        Self::DowngradeIsTheLabel,
        Self::DowngradeBelowContext,
        Self::DowngradeBelowParent,
        Self::DowngradeWithoutCall,
        Self::SourcelessDataIsFree,
        Self::NamelessFromAtTop,
        Self::NamelessToAtBottom,
    ];
}
