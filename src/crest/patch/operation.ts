import { isPlainObject, JsonNumber, type JsonValue, type Numeric } from '#json'
import { type Pointer, parseFieldPointer } from '../pointer.ts'

/** One step of a patch (spec: "Patch operation payload"). */
export type PatchOperation =
  | { readonly operation: 'add' | 'replace' | 'transform'; readonly field: Pointer; readonly value: JsonValue }
  | { readonly operation: 'increment'; readonly field: Pointer; readonly value: Numeric }
  | { readonly operation: 'remove'; readonly field: Pointer; readonly value?: JsonValue }
  | { readonly operation: 'copy' | 'move'; readonly field: Pointer; readonly from: Pointer }

/** A patch that can not be applied. 400: invalid; 409: conflicts with the resource; 413: too large. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly status: number

  constructor(message: string, status: 400 | 403 | 409 | 413 | 501 = 400) {
    super(message)
    this.status = status
  }
}

const NAMES = ['add', 'copy', 'increment', 'move', 'remove', 'replace', 'transform'] as const
const MEMBERS = new Set(['operation', 'field', 'value', 'from'])
const MAX_OPERATIONS = 1_000

/** Reads the body of a patch; throws PatchError for any other content. */
export function parsePatch(body: JsonValue): readonly PatchOperation[] {
  if (!Array.isArray(body)) throw new PatchError('the patch: expected a JSON array of operations')
  if (body.length > MAX_OPERATIONS)
    throw new PatchError(`the patch: at most ${MAX_OPERATIONS} operations, got ${body.length}`)
  return body.map((one, at) => parseOperation(one, `/${at}`))
}

function parseOperation(json: JsonValue, at: string): PatchOperation {
  if (!isPlainObject(json)) throw new PatchError(`${at}: expected an object with operation and field`)
  const members = json as Record<string, JsonValue | undefined>
  for (const name of Object.keys(members)) {
    if (!MEMBERS.has(name))
      throw new PatchError(
        `${at}: unknown member ${JSON.stringify(name.slice(0, 40))}; expected operation, field, value, from`,
      )
  }
  const operation = operationName(members['operation'], at)
  const field = pointerOf(members['field'], `${at}/field`)
  if (field[0] === '_id' || field[0] === '_rev') {
    throw new PatchError(`${at}/field: ${field[0]} can not be patched; the server gives it`)
  }
  if (operation === 'copy' || operation === 'move') {
    if (members['value'] !== undefined) throw new PatchError(`${at}/value: ${operation} takes from, not value`)
    return { operation, field, from: pointerOf(members['from'], `${at}/from`) }
  }
  if (members['from'] !== undefined) throw new PatchError(`${at}/from: only copy and move take from`)
  const { value } = members
  if (operation === 'remove') return value === undefined ? { operation, field } : { operation, field, value }
  if (value === undefined) throw new PatchError(`${at}/value: ${operation} needs a value`)
  if (operation !== 'increment') return { operation, field, value }
  if (typeof value === 'number' || value instanceof JsonNumber) return { operation, field, value }
  throw new PatchError(`${at}/value: increment needs a number`)
}

function operationName(value: JsonValue | undefined, at: string): (typeof NAMES)[number] {
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  const known = NAMES.find((candidate) => candidate === name)
  if (known === undefined) throw new PatchError(`${at}/operation: expected one of ${NAMES.join(', ')}`)
  return known
}

function pointerOf(value: JsonValue | undefined, at: string): Pointer {
  const pointer = typeof value === 'string' ? parseFieldPointer(value) : null
  if (pointer === null) throw new PatchError(`${at}: expected a JSON pointer such as "/parent/child"`)
  return pointer
}
