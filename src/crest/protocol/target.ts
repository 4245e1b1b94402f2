import type { Exchange } from '#http'
import { MAX_ID_LENGTH } from '../descriptors/resource-schema.ts'
import { RequestError } from './refusal.ts'

/** Target of a request: the endpoint (null), or the id of a resource below it. */
export function targetId({ request }: Exchange, base: string): string | null {
  const rest = request.uri.rawPath.slice(base.length)
  if (rest === '') return null
  const id = rest.startsWith('/') ? decoded(rest.slice(1)) : ''
  if (id === '' || rest.indexOf('/', 1) !== -1) throw new RequestError(404, 'there is nothing at this path')
  if (id.length > MAX_ID_LENGTH)
    throw new RequestError(400, `_id: at most ${MAX_ID_LENGTH} characters, got ${id.length}`)
  return id
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new RequestError(400, '_id: the path holds escapes that are not UTF-8')
  }
}

/** URL of a resource of the collection, or of the resource that the request was sent to. */
export function locationOf({ originalUri }: Exchange, target: string | null, id: string): string {
  const path = originalUri.rawPath
  const collection = target === null ? path : path.slice(0, path.lastIndexOf('/'))
  return `${originalUri.origin}${collection}/${encodeURIComponent(id)}`
}
