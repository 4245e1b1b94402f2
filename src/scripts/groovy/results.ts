import { ArrayValue, CollectionValue, classes, classOf, textOf, type Value } from '@identity-gateway/groovy'
import { InvalidCallError } from '../errors.ts'
import type { ResultShape } from '../evaluation-port.ts'
import { toHost } from './host-values.ts'
import { ResponseValue } from './message-values.ts'
import { RateValue } from './throttling-rate.ts'

/** Converts and checks the result of a script. */
export function resultOf(value: Value, shape: ResultShape): unknown {
  switch (shape) {
    case 'response':
      if (value instanceof ResponseValue) return value.host
      throw expected('a Response, or a promise of one such as next.handle(context, request)', value)
    case 'texts':
      if (!(value instanceof CollectionValue || value instanceof ArrayValue)) {
        throw expected('a Set or a list of strings', value)
      }
      return value.items.map(text)
    case 'text':
      return value === null ? null : text(value)
    case 'rate':
      if (value === null) return null
      if (value instanceof RateValue) return value.rate
      throw expected('a ThrottlingRate or null', value)
    case 'json':
      return toHost(value)
  }
}

function text(value: Value): string {
  if (value !== null && classOf(value).isSubclassOf(classes.CharSequenceInterface)) return textOf(value)
  throw expected('text', value)
}

function expected(what: string, value: Value): InvalidCallError {
  return new InvalidCallError(
    `expected the script to return ${what}, got ${value === null ? 'null' : classOf(value).name}`,
  )
}
