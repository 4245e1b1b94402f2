import type { JsonObject, JsonValue } from '#json'
import type { Compare, Operation, OperationResult, Transaction } from './key-value.ts'
import { MalformedResponse } from './malformed-response.ts'
import { encodedKey, integerOf, objectOf, objectsOf, rangeOf, rawItemOf, readable } from './wire.ts'

/** The message of `/v3/kv/txn`. */
export function transactionMessage({ compare, success, failure = [] }: Transaction): JsonObject {
  return {
    compare: compare.map(comparisonMessage),
    success: success.map(operationMessage),
    failure: failure.map(operationMessage),
  }
}

/** Whether a transaction changes anything; one that does not can be sent again. */
export function changesAnything({ success, failure = [] }: Transaction): boolean {
  return [...success, ...failure].some((operation) => !('get' in operation))
}

function comparisonMessage(compare: Compare): JsonValue {
  const key = encodedKey(compare.key)
  return 'modRevision' in compare
    ? { key, target: 'MOD', result: 'EQUAL', mod_revision: compare.modRevision.toString() }
    : { key, target: 'CREATE', result: 'EQUAL', create_revision: compare.createRevision.toString() }
}

function operationMessage(operation: Operation): JsonValue {
  if ('get' in operation) {
    const { key, keysOnly = false } = operation.get
    return { request_range: { key: encodedKey(key), ...(keysOnly && { keys_only: true }) } }
  }
  if ('delete' in operation) return { request_delete_range: rangeOf(operation.delete) }
  const { key, value, lease } = operation.put
  return {
    request_put: {
      key: encodedKey(key),
      value: (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)).toString('base64'),
      ...(typeof lease === 'string' && { lease }),
    },
  }
}

/** Results of the operations that were executed; as many as were sent. */
export function resultsOf(value: JsonValue | undefined, operations: readonly Operation[]): OperationResult[] {
  const responses = objectsOf(value, 'responses')
  if (responses.length !== operations.length)
    throw new MalformedResponse(`responses: expected ${operations.length}, got ${responses.length}`)
  return operations.map((operation, index) => resultOf(operation, responses[index]!, `responses[${index}]`))
}

function resultOf(operation: Operation, response: JsonObject, name: string): OperationResult {
  if ('put' in operation) return { type: 'put' }
  if ('delete' in operation) {
    const { deleted } = objectOf(response['response_delete_range'], `${name}.response_delete_range`)
    return { type: 'delete', deleted: Number(integerOf(deleted, `${name}.deleted`)) }
  }
  const { kvs } = objectOf(response['response_range'], `${name}.response_range`)
  const [item] = readable(objectsOf(kvs, `${name}.kvs`).map((each) => rawItemOf(each, `${name}.kvs`)))
  return { type: 'get', item: item ?? null }
}
