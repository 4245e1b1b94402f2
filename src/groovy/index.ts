// The language Groovy. A host makes a Library of the classes that its scripts may use, compiles programs with it and runs
// them; see docs/guide/scripts.md for what of the language is there.
export { compileProgram, GroovyProgram, type ProgramSource, type RunOptions } from './compile/program.ts'
export type { ClassFinder } from './compile/unit.ts'
export { coreLibrary } from './library/core-library.ts'
export { defineException } from './library/exception/exceptions.ts'
export { JavaUri, JavaUrl, javaUri, UrlClass } from './library/net/uri.ts'
export { ClockValue } from './library/time/instant.ts'
export { ABSTRACT, extend, type MemberTable } from './registry/extend.ts'
export { Library } from './registry/library.ts'
export type { Refusal } from './registry/refusals.ts'
export { castTo } from './runtime/cast.ts'
export { currentEvaluation, Evaluation, GroovyError, type Output } from './runtime/evaluation.ts'
export { callFunctional, callValue, construct, invokeMethod, isValue } from './runtime/invoke.ts'
export { IteratorValue, itemsOf, iterationOf } from './runtime/items.ts'
export { collectItems, eachItem, loop, NEXT } from './runtime/iterate.ts'
export {
  boundedText,
  checkCopy,
  checkSize,
  checkText,
  DEFAULT_LIMITS,
  GroovyLimitError,
  type Limits,
  type ScriptPlace,
  tick,
} from './runtime/limits.ts'
export { missingMethod } from './runtime/missing.ts'
export { after, afterEither, andThen, PENDING, settled, suspend } from './runtime/pending.ts'
export { getProperty, setProperty } from './runtime/property.ts'
export type { Services } from './runtime/services.ts'
export { GroovyCompileError, type GroovyProblem } from './syntax/syntax-error.ts'
export * as syntax from './syntax/tree.ts'
export { BigDecimal } from './values/big-decimal.ts'
export { BindingValue, type VariableSource } from './values/binding.ts'
export { ClassInfo } from './values/class-info.ts'
export { classOf } from './values/class-of.ts'
export * as classes from './values/classes.ts'
export { ClosureValue, NativeClosure } from './values/closure.ts'
export { CollectionValue, ListValue, MapEntry, MapValue, SetValue } from './values/collection.ts'
export { compareValues } from './values/compare.ts'
export { EnumValue } from './values/enum-value.ts'
export { groovyEquals, javaEquals } from './values/equality.ts'
export * as exceptions from './values/exceptions.ts'
export { GStringValue } from './values/gstring.ts'
export { HashMapValue, HashSetValue } from './values/hash-map.ts'
export { InterfaceProxy } from './values/interface-proxy.ts'
export { ArrayValue, ByteArray, ObjectArray } from './values/java-array.ts'
export { isNumber, smallestWhole, toBigDecimal, toBigInt, toDouble, toInt, toLong } from './values/number-tower.ts'
export { BigIntegerValue, ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from './values/numbers.ts'
export { inspectText, javaText, textOf } from './values/text.ts'
export { ThrowableValue, throwable } from './values/throwable.ts'
export { truth } from './values/truth.ts'
export { GroovyObject, type Value } from './values/value.ts'
