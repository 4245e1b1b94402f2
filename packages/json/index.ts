export { ArithmeticError, add, divide, multiply, type Numeric, negate, remainder, subtract } from './arithmetic.ts'
export { canonicalJson } from './canonical.ts'
export { compareNumbers } from './compare-numbers.ts'
export { JsonDocument, type Position, readDocument, type SourceRange, syntaxErrorIn } from './document.ts'
export { documentText } from './document-text.ts'
export { measureJson } from './measure.ts'
export { exceedsDoubleRange, JsonNumber, jsonNumber, numberValue } from './number.ts'
export { jsonObjectIn } from './object-in.ts'
export {
  checkJson,
  DuplicateMemberError,
  JsonLimitError,
  JsonSyntaxError,
  parseJson,
  parseUniqueJson,
} from './parse.ts'
export { appendPointer, formatPointer, parsePointer } from './pointer.ts'
export { copyJson, countMembers, deepFreeze, isPlainObject, type JsonObject, type JsonValue, setOwn } from './value.ts'
