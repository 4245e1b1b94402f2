// `listOf`, for `as` of a JsonValue, `Json.readJson` and `Json.writeJson`.
import {
  ByteArray,
  CollectionValue,
  callFunctional,
  currentEvaluation,
  exceptions,
  ListValue,
  NativeClosure,
  settled,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { jsonCopy } from '#http'
import { JsonSyntaxError, parseJson } from '#json'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { toGroovy, toHost } from './host-values.ts'
import { JsonValueValue } from './json-data.ts'

/** A function of a JsonValue to the list of what `convert` returns for each element; null for anything but a collection. */
function listOf(convert: Value): Value {
  const element = (value: Value): Value => settled(callFunctional(convert, [new JsonValueValue(value)]), 'an element')
  return new NativeClosure(null, [], ([value]) => {
    const { object } = value as JsonValueValue
    return object instanceof CollectionValue ? new ListValue(object.items.map(element)) : null
  })
}

for (const name of ['openig.util.JsonValues', 'json.JsonValueFunctions']) {
  extendWithHost(gatewayClass(name), { 'static listOf(Object function): Function': listOf })
}

function readJson(text: string | null): Value {
  try {
    return text === null ? null : toGroovy(parseJson(text, { digits: currentEvaluation().services.maxDigits }))
  } catch (error) {
    throw error instanceof JsonSyntaxError ? throwable(exceptions.IOException, error.message) : error
  }
}

extendWithHost(gatewayClass('http.util.Json'), {
  'static readJson(String? text): Object': readJson,
  'static writeJson(Object? value): byte[]': (value: Value) =>
    new ByteArray(Buffer.from(JSON.stringify(jsonCopy(toHost(value))))),
})
