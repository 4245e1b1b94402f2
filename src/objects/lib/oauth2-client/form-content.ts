import { Body, type Exchange, formatForm, mediaType, parseForm, type Request } from '#http'

const URLENCODED = 'application/x-www-form-urlencoded'

/**
 * A copy of the exchange whose form has these fields, whatever values they had before; the bytes of the other fields stay
 * as they are. A request without content becomes a form; one with other content is a fault of the configuration
 * (spec gap 166).
 */
export async function withFormFields(exchange: Exchange, fields: Readonly<Record<string, string>>): Promise<Exchange> {
  const kept = exchange.request.body.isEmpty ? [] : otherFields(await formContent(exchange), fields)
  const added = formatForm(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])))
  return withForm(exchange, [...kept, added])
}

/** A copy of the exchange whose form lacks a field; the bytes of the other fields stay as they are. */
export async function withoutFormField(exchange: Exchange, name: string): Promise<Exchange> {
  return withForm(exchange, otherFields(await formContent(exchange), { [name]: '' }))
}

function withForm(exchange: Exchange, fields: readonly string[]): Exchange {
  const changed = exchange.request.clone()
  changed.body = Body.of(fields.join('&'))
  for (const name of ['Content-Length', 'Transfer-Encoding']) changed.headers.delete(name)
  if (!changed.headers.has('content-type')) changed.headers.set('Content-Type', URLENCODED)
  return exchange.withRequest(changed)
}

async function formContent({ request, storage }: Exchange): Promise<string> {
  assertForm(request)
  await request.body.buffer(storage)
  // Whatever charset it claims: as Latin-1 each byte comes out as it went in.
  return Buffer.from(request.body.bytes()).toString('latin1')
}

function assertForm({ headers }: Request): void {
  const type = mediaType(headers)
  if (type !== URLENCODED) {
    const found = type === '' ? 'none' : JSON.stringify(type.slice(0, 80))
    throw new TypeError(`client authentication: expected content of the type ${URLENCODED}, got ${found}`)
  }
  if (headers.has('content-encoding')) {
    throw new TypeError('client authentication: expected a form without a content coding')
  }
}

function otherFields(content: string, replaced: Readonly<Record<string, string>>): string[] {
  return content.split('&').filter((field) => {
    const [name] = Object.keys(parseForm(field))
    return name !== undefined && !Object.hasOwn(replaced, name)
  })
}
