// JSON as values of scripts.
import {
  checkJson,
  JsonLimitError,
  JsonNumber,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
} from '@identity-gateway/json'
import { checkBits, checkText, spend, tick } from '../../meter.ts'
import { currentEvaluation } from '../../runtime/evaluation.ts'
import { BigDecimal } from '../../values/big-decimal.ts'
import { ListValue } from '../../values/collection.ts'
import { RuntimeException } from '../../values/exceptions.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { smallestInteger } from '../../values/number-tower.ts'
import { DoubleValue } from '../../values/numbers.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'

export const JsonException = declareException('groovy.json.JsonException', RuntimeException)

/** Parses JSON; throws JsonException. */
export function readJson(text: string): Value {
  checkText(text.length)
  spend(text.length * 4)
  if (text.trim() === '') throw throwable(JsonException, 'Unable to determine the current character, the text is empty')
  try {
    checkJson(text, { digits: currentEvaluation().services.maxDigits })
    return jsonValue(parseJson(text))
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonLimitError) {
      throw throwable(JsonException, error.message)
    }
    throw error
  }
}

/** Integers are Integer, Long or BigInteger by size, other numbers BigDecimals with their exact digits. */
function jsonValue(value: JsonValue): Value {
  tick()
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return numberOf(value)
  if (value instanceof JsonNumber) {
    checkBits(value.text.length * 4)
    return value.isInteger ? smallestInteger(BigInt(value.text)) : BigDecimal.parse(value.text)
  }
  if (Array.isArray(value)) return new ListValue(value.map(jsonValue))
  const made = new HashMapValue()
  for (const [key, each] of Object.entries(value)) made.put(key, jsonValue(each as JsonValue))
  return made
}

function numberOf(value: number): Value {
  if ((value | 0) === value && !Object.is(value, -0)) return value
  if (Number.isInteger(value) && Number.isSafeInteger(value)) return BigInt(value)
  return BigDecimal.parse(String(value)) ?? new DoubleValue(value)
}
