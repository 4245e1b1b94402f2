// `listOf`, for `as` of a JsonValue, and `Json.readJson`.
import {
  CollectionValue,
  callFunctional,
  exceptions,
  ListValue,
  NativeClosure,
  settled,
  throwable,
  type Value,
} from '#groovy'
import { JsonSyntaxError, parseJson } from '#json'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { toGroovy } from './host-values.ts'
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
    return text === null ? null : toGroovy(parseJson(text))
  } catch (error) {
    throw error instanceof JsonSyntaxError ? throwable(exceptions.IOException, error.message) : error
  }
}

extendWithHost(gatewayClass('http.util.Json'), { 'static readJson(String? text): Object': readJson })
