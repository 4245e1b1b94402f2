import { Body, type Exchange, formatForm, mediaType, parseForm, type Request } from '#http'

const URLENCODED = 'application/x-www-form-urlencoded'

/**
 * A copy of the exchange with these form fields, in place of earlier values; the bytes of other fields are unchanged. A request
 * without content becomes a form; another content type is a fault of the configuration (spec gap 166).
 */
export async function withFormFields(exchange: Exchange, fields: Readonly<Record<string, string>>): Promise<Exchange> {
  const kept = exchange.request.body.isEmpty ? [] : otherFields(await formContent(exchange), fields)
  const added = formatForm(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])))
  return withForm(exchange, [...kept, added])
}

/** A copy of the exchange without a form field; the bytes of other fields are unchanged. */
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
  // Latin-1 preserves each byte, in any charset.
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
