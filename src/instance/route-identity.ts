import type { JsonObject } from '#json'
import type { Problem } from '#schema'

/** Id of a route, and the name that it is sorted by. */
export interface RouteIdentity {
  readonly id: string
  readonly name: string
}

/** Syntax of route ids. */
export const ROUTE_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/

/** The id and name of a route file (spec, route ID rules), or the problem. */
export function routeIdentity(fileName: string, json: JsonObject): RouteIdentity | Problem {
  const fromFile = fileName.replace(/\.json$/, '')
  if (fromFile.toLowerCase() === 'default') {
    return { pointer: '', message: 'a route file can not be called default.json; give it another name' }
  }
  const { _id: id = fromFile } = json
  // Null is as if it were not given, as in the fields of objects.
  const name = json['name'] ?? id
  if (typeof id !== 'string' || !ROUTE_ID.test(id)) {
    const message = 'expected an _id of 1 to 128 letters, digits, ".", "_" or "-", not starting with "."'
    return json['_id'] === undefined
      ? { pointer: '', message: `${message}, got the name of the file; rename it, or write an _id into it` }
      : { pointer: '/_id', message }
  }
  if (typeof name !== 'string' || name === '')
    return { pointer: '/name', message: 'expected a string that is not empty' }
  if (id.toLowerCase() === 'default') return { pointer: '/_id', message: 'a route can not have the id "default"' }
  if (name.toLowerCase() === 'default') return { pointer: '/name', message: 'a route can not be named "default"' }
  return { id, name }
}
