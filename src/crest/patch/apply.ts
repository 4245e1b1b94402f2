import {
  ArithmeticError,
  add,
  canonicalJson,
  copyJson,
  exceedsDoubleRange,
  formatPointer,
  isPlainObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  type Numeric,
  setOwn,
} from '#json'
import { memberOf, type Pointer } from '../pointer.ts'
import { MAX_BODY_BYTES, MAX_VALUES, ResourceSize } from '../resource-size.ts'
import { TimeSlices } from '../time-slices.ts'
import { createLocation, type FieldLocation, findLocation, putAt, removeAt, setAt } from './field-location.ts'
import { PatchError, type PatchOperation } from './operation.ts'
import { WeightLimit } from './weight-limit.ts'

/** Returns the new value of the field. */
export type Transformation = (value: JsonValue, instruction: JsonValue, resource: JsonObject) => Promise<JsonValue>

export interface PatchOptions {
  /** Whether an array has set semantics: no order, no duplicates. Without it all arrays are lists. */
  readonly isSet?: (field: Pointer) => boolean
  /** Implements `transform`; without it the operation is not supported. */
  readonly transform?: Transformation
}

/** The resource after all operations in order; throws PatchError and changes nothing where one fails. */
export async function applyPatch(
  resource: JsonObject,
  operations: readonly PatchOperation[],
  options: PatchOptions = {},
): Promise<JsonObject> {
  const patched = new Patching(copyJson(resource), options)
  const turns = new TimeSlices()
  for (const operation of operations) {
    await patched.apply(operation)
    if (turns.isOver) await turns.next()
  }
  checkSize(resource, patched.root)
  return patched.root
}

/** A patch can not grow a resource beyond the size limit of a request; one that is larger already may shrink. */
function checkSize(before: JsonObject, after: JsonObject): void {
  const size = new ResourceSize(after)
  if (!size.isTooLarge || !size.exceeds(new ResourceSize(before))) return
  const limits = `${MAX_VALUES} values or ${MAX_BODY_BYTES} characters`
  throw new PatchError(`the patched resource would hold more than ${limits}`, 413)
}

/** The copy of the resource that the operations change. */
class Patching {
  root: JsonObject
  readonly #options: PatchOptions
  readonly #weight = new WeightLimit()

  constructor(root: JsonObject, options: PatchOptions) {
    this.root = root
    this.#options = options
  }

  async apply(step: PatchOperation): Promise<void> {
    switch (step.operation) {
      case 'add':
        return this.#add(step.field, copyJson(step.value))
      case 'replace':
        return this.#replace(step.field, copyJson(step.value))
      case 'remove':
        return this.#remove(step.field, step.value)
      case 'copy':
        return this.#copy(step.from, step.field)
      case 'move':
        return this.#move(step.from, step.field)
      case 'increment':
        return this.#increment(step.field, step.value)
      case 'transform':
        return this.#transform(step.field, step.value)
    }
  }

  #copy(from: Pointer, field: Pointer): void {
    const value = this.#taken(from)
    this.#weight.add(value, 0)
    this.#add(field, copyJson(value))
  }

  #add(field: Pointer, value: JsonValue): void {
    this.#weight.add(value, field.length)
    if (field.length === 0) {
      this.root = wholeResource(value)
      return
    }
    const location = this.#createLocation(field)
    if (Array.isArray(location.value) && !Array.isArray(location.parent)) {
      setAt(location, this.#joined(location.value, Array.isArray(value) ? value : [value], field))
      return
    }
    if (Array.isArray(location.parent) && location.name === '-' && Array.isArray(value)) {
      throw new PatchError(`${formatPointer(field)}: one element at a time is added with "-", got a list`)
    }
    if (Array.isArray(location.parent) && this.#isSet(field.slice(0, -1))) {
      // A set has no order: the index is ignored.
      this.#weight.spend(location.parent.length)
      if (!texts(location.parent).has(canonicalJson(value))) location.parent.push(value)
      return
    }
    putAt(location, this.#isSet(field) && Array.isArray(value) ? withoutDuplicates(value) : value, field)
  }

  #joined(target: readonly JsonValue[], values: readonly JsonValue[], field: Pointer): JsonValue[] {
    this.#weight.spend(target.length)
    const joined = target.concat(values)
    return this.#isSet(field) ? withoutDuplicates(joined) : joined
  }

  #replace(field: Pointer, value: JsonValue): void {
    this.#weight.add(value, field.length)
    if (field.length === 0) {
      this.root = wholeResource(value)
      return
    }
    const location = value === null ? findLocation(this.root, field) : this.#createLocation(field)
    if (location === null) return
    if (Array.isArray(location.parent)) {
      throw new PatchError(
        `${formatPointer(field)}: an element of a list can not be replaced by its index; remove and add it`,
      )
    }
    if (value === null) removeAt(location)
    else putAt(location, this.#isSet(field) && Array.isArray(value) ? withoutDuplicates(value) : value, field)
  }

  #remove(field: Pointer, value: JsonValue | undefined): void {
    if (field.length === 0) throw new PatchError('the whole resource can not be removed by a patch; delete it')
    const location = findLocation(this.root, field)
    if (location === null || location.value === undefined) return
    if (value === undefined) removeAt(location)
    else if (Array.isArray(location.value)) {
      this.#weight.add(location.value, field.length)
      const unwanted = texts(Array.isArray(value) ? value : [value])
      setAt(
        location,
        location.value.filter((element) => !unwanted.has(canonicalJson(element))),
      )
    } else {
      this.#weight.add(location.value, field.length)
      if (canonicalJson(location.value) === canonicalJson(value)) removeAt(location)
    }
  }

  #move(from: Pointer, field: Pointer): void {
    if (from.length < field.length && from.every((token, at) => token === field[at])) {
      throw new PatchError(`${formatPointer(from)} can not be moved into itself`)
    }
    const value = this.#taken(from)
    this.#remove(from, undefined)
    this.#add(field, value)
  }

  #increment(field: Pointer, by: Numeric): void {
    const location = field.length === 0 ? null : findLocation(this.root, field)
    if (location === null || location.value === undefined)
      throw new PatchError(`${formatPointer(field)}: there is nothing to increment`)
    const sum = (value: JsonValue): Numeric => {
      if (typeof value !== 'number' && !(value instanceof JsonNumber)) {
        throw new PatchError(`${formatPointer(field)}: only numbers can be incremented`)
      }
      const total = totalOf(value, by)
      if (total === null) throw new PatchError(`${formatPointer(field)}: the sum is too large`)
      return total
    }
    this.#weight.spend(Array.isArray(location.value) ? location.value.length : 1)
    setAt(location, Array.isArray(location.value) ? location.value.map(sum) : sum(location.value))
    this.#tidySet(location, field)
  }

  async #transform(field: Pointer, instruction: JsonValue): Promise<void> {
    const { transform } = this.#options
    if (transform === undefined) throw new PatchError('transform is not supported by this resource', 501)
    if (field.length === 0) throw new PatchError('transform needs a field')
    const before = findLocation(this.root, field)?.value ?? null
    this.#weight.add(this.root, 0)
    const value = await transform(copyJson(before), instruction, copyJson(this.root))
    this.#weight.add(value, field.length)
    const location = this.#createLocation(field)
    if (location.value === undefined) putAt(location, value, field)
    else setAt(location, value)
    this.#tidySet(location, field)
  }

  /** The location of a field, with its parents. Later elements of the same list may move. */
  #createLocation(field: Pointer): FieldLocation {
    this.#weight.spend(field.length)
    const location = createLocation(this.root, field)
    if (Array.isArray(location.parent)) this.#weight.spend(location.parent.length >> 8)
    return location
  }

  /** A value that was changed in place may now equal another one of its set. */
  #tidySet({ parent, name }: FieldLocation, field: Pointer): void {
    if (Array.isArray(parent)) {
      if (!this.#isSet(field.slice(0, -1))) return
      this.#weight.spend(parent.length)
      const kept = withoutDuplicates(parent)
      parent.length = 0
      for (const value of kept) parent.push(value)
      return
    }
    const value = memberOf(parent, name)
    if (Array.isArray(value) && this.#isSet(field)) setOwn(parent, name, withoutDuplicates(value))
  }

  #taken(from: Pointer): JsonValue {
    if (from.length === 0) return this.root
    const value = findLocation(this.root, from)?.value
    if (value === undefined) throw new PatchError(`${formatPointer(from)}: there is nothing to take`, 409)
    return value
  }

  #isSet(field: Pointer): boolean {
    return this.#options.isSet?.(field) ?? false
  }
}

function wholeResource(value: JsonValue): JsonObject {
  if (!isPlainObject(value)) throw new PatchError('the whole resource can only become an object')
  return value as JsonObject
}

/** Equal values have the same text. */
function texts(values: readonly JsonValue[]): Set<string> {
  return new Set(values.map(canonicalJson))
}

function withoutDuplicates(values: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string>()
  return values.filter((value) => seen.size < seen.add(canonicalJson(value)).size)
}

/** Null where the sum has too many digits, or exceeds the range of doubles. */
function totalOf(value: Numeric, by: Numeric): Numeric | null {
  try {
    const total = add(value, by)
    return exceedsDoubleRange(total) ? null : total
  } catch (error) {
    if (error instanceof ArithmeticError) return null
    throw error
  }
}
