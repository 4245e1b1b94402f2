// The built-in classes and their hierarchy. Their members are in `library`.
import { ClassInfo, type ClassOptions } from './class-info.ts'
import { Instance } from './value.ts'

/** Classes of the library by simple and by full name, for the types in the tables of `library`. */
const byName = new Map<string, ClassInfo>()

/** A class of the library by the name that tables use for it. */
export function libraryClass(name: string): ClassInfo | undefined {
  return byName.get(name)
}

/** All classes of the library. */
export function libraryClasses(): ReadonlySet<ClassInfo> {
  return new Set(byName.values())
}

/** Declares a class of the library; of two with the same simple name, tables use the full name of the second. */
export function declareClass(name: string, options: ClassOptions = {}): ClassInfo {
  const parent = options.parent === undefined ? ObjectClass : options.parent
  return register(new ClassInfo(name, { ...options, parent }))
}

/** Declares an interface of the library; `functional` names its single abstract method. */
export function declareInterface(name: string, functional: string | null = null, ...extended: ClassInfo[]): ClassInfo {
  const made = declareClass(name, { kind: 'interface', interfaces: extended })
  made.functional = functional
  return made
}

function register(made: ClassInfo): ClassInfo {
  if (!byName.has(made.simpleName)) byName.set(made.simpleName, made)
  byName.set(made.name, made)
  const dotted = made.name.replaceAll('$', '.')
  byName.set(dotted, made)
  // `Map.Entry` of `java.util.Map.Entry`.
  if (dotted !== made.name) byName.set(dotted.replace(/^(?:[a-z]\w*\.)+/, ''), made)
  return made
}

export const ObjectClass: ClassInfo = register(
  new ClassInfo('java.lang.Object', {
    extensible: { allocate: (klass) => new Instance(klass), initialise: () => null },
  }),
)
export const ClassClass = declareClass('java.lang.Class')
ClassInfo.classOfClasses = ClassClass
/** The superclass of all array classes; scripts can not name it. */
export const ArrayBaseClass = new ClassInfo('array', { parent: ObjectClass })
ClassInfo.arrayBase = ArrayBaseClass
export const NullClass = declareClass('org.codehaus.groovy.runtime.NullObject')

const primitive = (name: string): ClassInfo => declareClass(name, { kind: 'primitive', parent: null })
export const primitives = {
  boolean: primitive('boolean'),
  byte: primitive('byte'),
  char: primitive('char'),
  double: primitive('double'),
  float: primitive('float'),
  int: primitive('int'),
  long: primitive('long'),
  short: primitive('short'),
  void: primitive('void'),
}

export const ComparableInterface = declareInterface('java.lang.Comparable', 'compareTo')
export const CharSequenceInterface = declareInterface('java.lang.CharSequence')
export const AutoCloseableInterface = declareInterface('java.lang.AutoCloseable', 'close')
export const CloseableInterface = declareInterface('java.io.Closeable', 'close', AutoCloseableInterface)
export const IterableInterface = declareInterface('java.lang.Iterable')
export const IteratorInterface = declareInterface('java.util.Iterator')
export const RunnableInterface = declareInterface('java.lang.Runnable', 'run')
export const CallableInterface = declareInterface('java.util.concurrent.Callable', 'call')
export const ComparatorInterface = declareInterface('java.util.Comparator', 'compare')

const comparable = { interfaces: [ComparableInterface] }
export const BooleanClass = declareClass('java.lang.Boolean', comparable)
export const CharacterClass = declareClass('java.lang.Character', comparable)
export const VoidClass = declareClass('java.lang.Void')
export const NumberClass = declareClass('java.lang.Number')
const number = { parent: NumberClass, interfaces: [ComparableInterface] }
export const ByteClass = declareClass('java.lang.Byte', number)
export const ShortClass = declareClass('java.lang.Short', number)
export const IntegerClass = declareClass('java.lang.Integer', number)
export const LongClass = declareClass('java.lang.Long', number)
export const FloatClass = declareClass('java.lang.Float', number)
export const DoubleClass = declareClass('java.lang.Double', number)
export const BigIntegerClass = declareClass('java.math.BigInteger', number)
export const BigDecimalClass = declareClass('java.math.BigDecimal', number)

const text = { interfaces: [CharSequenceInterface, ComparableInterface] }
export const StringClass = declareClass('java.lang.String', text)
export const GStringClass = declareClass('groovy.lang.GString', text)
export const GStringImplClass = declareClass('org.codehaus.groovy.runtime.GStringImpl', { parent: GStringClass })
export const StringBuilderClass = declareClass('java.lang.StringBuilder', text)
export const StringBufferClass = declareClass('java.lang.StringBuffer', text)

export const CollectionInterface = declareInterface('java.util.Collection', null, IterableInterface)
export const ListInterface = declareInterface('java.util.List', null, CollectionInterface)
export const SetInterface = declareInterface('java.util.Set', null, CollectionInterface)
export const SortedSetInterface = declareInterface('java.util.SortedSet', null, SetInterface)
export const QueueInterface = declareInterface('java.util.Queue', null, CollectionInterface)
export const DequeInterface = declareInterface('java.util.Deque', null, QueueInterface)
export const MapInterface = declareInterface('java.util.Map')
export const SortedMapInterface = declareInterface('java.util.SortedMap', null, MapInterface)
export const MapEntryInterface = declareInterface('java.util.Map$Entry')
export const RangeInterface = declareInterface('groovy.lang.Range', null, ListInterface)

export const AbstractCollectionClass = declareClass('java.util.AbstractCollection', {
  interfaces: [CollectionInterface],
})
export const AbstractListClass = declareClass('java.util.AbstractList', {
  parent: AbstractCollectionClass,
  interfaces: [ListInterface],
})
export const AbstractMapClass = declareClass('java.util.AbstractMap', { interfaces: [MapInterface] })
export const ArrayListClass = declareClass('java.util.ArrayList', { parent: AbstractListClass })
export const LinkedListClass = declareClass('java.util.LinkedList', {
  parent: AbstractListClass,
  interfaces: [DequeInterface],
})
export const ArrayDequeClass = declareClass('java.util.ArrayDeque', {
  parent: AbstractCollectionClass,
  interfaces: [DequeInterface],
})
export const UnmodifiableListClass = declareClass('java.util.Collections$UnmodifiableRandomAccessList', {
  parent: ObjectClass,
  interfaces: [ListInterface],
})
export const SubListClass = declareClass('java.util.ArrayList$SubList', { parent: AbstractListClass })
export const ValuesClass = declareClass('java.util.LinkedHashMap$LinkedValues', { parent: AbstractCollectionClass })
export const IntRangeClass = declareClass('groovy.lang.IntRange', {
  parent: AbstractListClass,
  interfaces: [RangeInterface],
})
export const ObjectRangeClass = declareClass('groovy.lang.ObjectRange', {
  parent: AbstractListClass,
  interfaces: [RangeInterface],
})
export const NumberRangeClass = declareClass('groovy.lang.NumberRange', {
  parent: AbstractListClass,
  interfaces: [RangeInterface],
})
export const EmptyRangeClass = declareClass('groovy.lang.EmptyRange', {
  parent: AbstractListClass,
  interfaces: [RangeInterface],
})
export const AbstractSetClass = declareClass('java.util.AbstractSet', {
  parent: AbstractCollectionClass,
  interfaces: [SetInterface],
})
export const HashSetClass = declareClass('java.util.HashSet', { parent: AbstractSetClass })
export const LinkedHashSetClass = declareClass('java.util.LinkedHashSet', { parent: HashSetClass })
export const TreeSetClass = declareClass('java.util.TreeSet', {
  parent: AbstractSetClass,
  interfaces: [SortedSetInterface],
})
export const UnmodifiableSetClass = declareClass('java.util.Collections$UnmodifiableSet', {
  interfaces: [SetInterface],
})
export const KeySetClass = declareClass('java.util.LinkedHashMap$LinkedKeySet', { parent: AbstractSetClass })
export const EntrySetClass = declareClass('java.util.LinkedHashMap$LinkedEntrySet', { parent: AbstractSetClass })
export const HashMapClass = declareClass('java.util.HashMap', { parent: AbstractMapClass })
export const LinkedHashMapClass = declareClass('java.util.LinkedHashMap', { parent: HashMapClass })
export const TreeMapClass = declareClass('java.util.TreeMap', {
  parent: AbstractMapClass,
  interfaces: [SortedMapInterface],
})
export const UnmodifiableMapClass = declareClass('java.util.Collections$UnmodifiableMap', {
  interfaces: [MapInterface],
})
export const MapWithDefaultClass = declareClass('groovy.lang.MapWithDefault', { interfaces: [MapInterface] })
export const MapEntryClass = declareClass('java.util.LinkedHashMap$Entry', { interfaces: [MapEntryInterface] })

export const ClosureClass = declareClass('groovy.lang.Closure', { interfaces: [RunnableInterface] })
export const ScriptClass = declareClass('groovy.lang.Script')
export const BindingClass = declareClass('groovy.lang.Binding')
export const EnumClass = declareClass('java.lang.Enum', comparable)
export const PatternClass = declareClass('java.util.regex.Pattern')
export const MatcherClass = declareClass('java.util.regex.Matcher')
