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
import { PatchError, type PatchOperation } from './operation.ts'
import { findPlace, makePlace, type Place, putAt, removeAt, setAt } from './place.ts'
import { WeightLimit } from './weight-limit.ts'

/** What a transformation gets, and gives back: the new value of the field. */
export type Transformation = (value: JsonValue, instruction: JsonValue, resource: JsonObject) => Promise<JsonValue>

/** What a patch has to know about the resource. */
export interface PatchOptions {
  /** Whether an array has set semantics: no order, no duplicates. Without it all are lists. */
  readonly isSet?: (field: Pointer) => boolean
  /** Does what `transform` asks for; without it that operation is not implemented. */
  readonly transform?: Transformation
}

/** The resource after all operations, in their order; throws PatchError and changes nothing where one fails. */
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

/** A copy that is being worked on. */
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
    const place = this.#made(field)
    if (Array.isArray(place.value) && !Array.isArray(place.holder)) {
      setAt(place, this.#joined(place.value, Array.isArray(value) ? value : [value], field))
      return
    }
    if (Array.isArray(place.holder) && place.name === '-' && Array.isArray(value)) {
      throw new PatchError(`${formatPointer(field)}: one element at a time is added with "-", got a list`)
    }
    if (Array.isArray(place.holder) && this.#isSet(field.slice(0, -1))) {
      // A set has no order, so that the index has no meaning.
      this.#weight.spend(place.holder.length)
      if (!texts(place.holder).has(canonicalJson(value))) place.holder.push(value)
      return
    }
    putAt(place, this.#isSet(field) && Array.isArray(value) ? withoutDuplicates(value) : value, field)
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
    const place = value === null ? findPlace(this.root, field) : this.#made(field)
    if (place === null) return
    if (Array.isArray(place.holder)) {
      throw new PatchError(
        `${formatPointer(field)}: an element of a list can not be replaced by its index; remove and add it`,
      )
    }
    if (value === null) removeAt(place)
    else putAt(place, this.#isSet(field) && Array.isArray(value) ? withoutDuplicates(value) : value, field)
  }

  #remove(field: Pointer, value: JsonValue | undefined): void {
    if (field.length === 0) throw new PatchError('the whole resource can not be removed by a patch; delete it')
    const place = findPlace(this.root, field)
    if (place === null || place.value === undefined) return
    if (value === undefined) removeAt(place)
    else if (Array.isArray(place.value)) {
      this.#weight.add(place.value, field.length)
      const unwanted = texts(Array.isArray(value) ? value : [value])
      setAt(
        place,
        place.value.filter((element) => !unwanted.has(canonicalJson(element))),
      )
    } else {
      this.#weight.add(place.value, field.length)
      if (canonicalJson(place.value) === canonicalJson(value)) removeAt(place)
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
    const place = field.length === 0 ? null : findPlace(this.root, field)
    if (place === null || place.value === undefined)
      throw new PatchError(`${formatPointer(field)}: there is nothing to increment`)
    const sum = (value: JsonValue): Numeric => {
      if (typeof value !== 'number' && !(value instanceof JsonNumber)) {
        throw new PatchError(`${formatPointer(field)}: only numbers can be incremented`)
      }
      const total = totalOf(value, by)
      if (total === null) throw new PatchError(`${formatPointer(field)}: the sum is too large`)
      return total
    }
    this.#weight.spend(Array.isArray(place.value) ? place.value.length : 1)
    setAt(place, Array.isArray(place.value) ? place.value.map(sum) : sum(place.value))
    this.#tidySet(place, field)
  }

  async #transform(field: Pointer, instruction: JsonValue): Promise<void> {
    const { transform } = this.#options
    if (transform === undefined) throw new PatchError('transform is not supported by this resource', 501)
    if (field.length === 0) throw new PatchError('transform needs a field')
    const before = findPlace(this.root, field)?.value ?? null
    this.#weight.add(this.root, 0)
    const value = await transform(copyJson(before), instruction, copyJson(this.root))
    this.#weight.add(value, field.length)
    const place = this.#made(field)
    if (place.value === undefined) putAt(place, value, field)
    else setAt(place, value)
    this.#tidySet(place, field)
  }

  /** The location of a field, with its parents. Elements after it in the same list may move. */
  #made(field: Pointer): Place {
    this.#weight.spend(field.length)
    const place = makePlace(this.root, field)
    if (Array.isArray(place.holder)) this.#weight.spend(place.holder.length >> 8)
    return place
  }

  /** A value that was changed where it stands may be equal to another of its set now. */
  #tidySet({ holder, name }: Place, field: Pointer): void {
    if (Array.isArray(holder)) {
      if (!this.#isSet(field.slice(0, -1))) return
      this.#weight.spend(holder.length)
      const kept = withoutDuplicates(holder)
      holder.length = 0
      for (const value of kept) holder.push(value)
      return
    }
    const value = memberOf(holder, name)
    if (Array.isArray(value) && this.#isSet(field)) setOwn(holder, name, withoutDuplicates(value))
  }

  #taken(from: Pointer): JsonValue {
    if (from.length === 0) return this.root
    const value = findPlace(this.root, from)?.value
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

/** Equal values have one text. */
function texts(values: readonly JsonValue[]): Set<string> {
  return new Set(values.map(canonicalJson))
}

function withoutDuplicates(values: readonly JsonValue[]): JsonValue[] {
  const seen = new Set<string>()
  return values.filter((value) => seen.size < seen.add(canonicalJson(value)).size)
}

/** Null where the sum has too many digits, or is more than a double. */
function totalOf(value: Numeric, by: Numeric): Numeric | null {
  try {
    const total = add(value, by)
    return exceedsDoubleRange(total) ? null : total
  } catch (error) {
    if (error instanceof ArithmeticError) return null
    throw error
  }
}
