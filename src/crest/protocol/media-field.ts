import { Response } from '#http'
import { formatPointer, type JsonValue } from '#json'
import { valueAt } from '../pointer.ts'
import type { Description, Resource } from './endpoint.ts'
import { RequestError } from './refusal.ts'
import { type ResponseForm, versionHeader } from './responses.ts'

/** The response to a read with `_mimeType`: one field, as bytes of the requested media type. */
export function mediaResponse(
  resource: Resource,
  mimeType: string,
  description: Description,
  form: ResponseForm,
): Response {
  const [pointer, ...more] = form.fields ?? []
  if (pointer === undefined || more.length > 0)
    throw new RequestError(400, '_mimeType: expected exactly one field in _fields')
  const types = Object.entries(description.media ?? {}).find(([name]) => `/${name}` === formatPointer(pointer))?.[1]
  if (types === undefined) throw new RequestError(400, '_mimeType: this field can not be read as a media type')
  // With any media type a field could become an HTML page of this origin.
  if (!types.includes(mimeType))
    throw new RequestError(406, `_mimeType: this field is available as ${types.join(', ')}`)
  const value = valueAt(resource.content, pointer)
  if (value === undefined || value === null) throw new RequestError(404, 'the field is not there')
  return new Response(200, {
    headers: {
      'Content-Type': mimeType,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...versionHeader(form.versions),
      ...(resource.revision !== null && { ETag: `"${resource.revision}"` }),
    },
    body: mimeType === 'text/plain' ? textOf(value) : bytesOf(value),
  })
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Media other than text are stored as base64url. */
function bytesOf(value: JsonValue): Uint8Array {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value))
    throw new RequestError(400, '_mimeType: the field holds no media')
  return Buffer.from(value, 'base64')
}
