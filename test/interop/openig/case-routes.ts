type Fields = Readonly<Record<string, unknown>>

/** A base URI at which nothing listens. */
export const CLOSED = 'http://127.0.0.1:1'

/** Everything to the application. */
export const PROXY: Fields = { baseURI: 'http://127.0.0.1:UPSTREAM', handler: 'ClientHandler' }

/** A handler with a fixed text. */
export function says(entity: string, status = 200): Fields {
  return { type: 'StaticResponseHandler', config: { status, entity } }
}

/** Filters before the application. */
export function chain(...filters: readonly Fields[]): Fields {
  return { ...PROXY, handler: { type: 'Chain', config: { filters, handler: PROXY['handler'] } } }
}

/** A scriptable object with a Groovy script. */
export function groovy(type: string, source: string): Fields {
  return { type, config: { type: 'application/x-groovy', source } }
}

/** A LocationHeaderFilter before a redirect to this server. */
export function redirected(server: string): Fields {
  const filter = { type: 'LocationHeaderFilter', config: { baseURI: 'https://www.example.com:8443/' } }
  const Location = [`${server}\${request.uri.path}?a=1`]
  const handler = { type: 'StaticResponseHandler', config: { status: 302, headers: { Location } } }
  const chained = { type: 'Chain', config: { filters: [filter], handler } }
  return { baseURI: PROXY['baseURI'], handler: chained }
}
