// `new URL('...').text` and `openConnection()`: requests through the clientHandler of the script, which suspends for the response.
import {
  andThen,
  ByteArray,
  type ClassInfo,
  classes,
  exceptions,
  GroovyObject,
  HashMapValue,
  InputStreamValue,
  type JavaUrl,
  ListValue,
  type Maybe,
  OutputStreamValue,
  suspend,
  textOf,
  throwable,
  UrlClass,
  type Value,
} from '@identity-gateway/groovy'
import { Request, setEntity, Uri } from '#http'
import { callGateway } from './evaluation-host.ts'
import { extendWithHost } from './host-class.ts'
import { type ResponseValue, readBuffered, withoutLimits } from './message-values.ts'

const UrlConnectionClass = classes.declareClass('java.net.URLConnection')
const HttpConnectionClass = classes.declareClass('java.net.HttpURLConnection', { parent: UrlConnectionClass })
/** Scripts cast the connection of any URL to this class. */
const ConnectionClass = classes.declareClass('javax.net.ssl.HttpsURLConnection', { parent: HttpConnectionClass })

/** The classes that scripts may name. */
export const CONNECTION_CLASSES: readonly ClassInfo[] = [UrlConnectionClass, HttpConnectionClass, ConnectionClass]

const MAX_BODY = 10_000_000

class ConnectionValue extends GroovyObject {
  readonly request: Request
  readonly output: Buffer[] = []
  response: ResponseValue | null = null

  constructor({ uri }: JavaUrl) {
    super()
    this.request = withoutLimits(new Request({ method: 'GET', uri: Uri.parse(uri.toString()) }))
  }

  get klass(): ClassInfo {
    return ConnectionClass
  }
}

/** Sends the request on the first access to its response. */
function responseOf(self: ConnectionValue): Maybe {
  if (self.response !== null) return self.response
  const body = Buffer.concat(self.output)
  if (body.length > 0) {
    if (self.request.method === 'GET') self.request.method = 'POST'
    setEntity(self.request, Uint8Array.from(body))
  }
  return andThen(suspend(callGateway('send', self.request)), (response) => {
    self.response = response as ResponseValue
    return response
  })
}

const withResponse =
  (read: (response: ResponseValue, self: ConnectionValue) => Maybe) =>
  (self: ConnectionValue): Maybe =>
    andThen(responseOf(self), (response) => read(response as ResponseValue, self))

const textIn = ({ host }: ResponseValue): Maybe => readBuffered(host, 'response', (entity) => entity.string)

/** As in Java, reading the content of an error status fails. */
function successful(response: ResponseValue, { request }: ConnectionValue): ResponseValue {
  const { status } = response.host
  if (status < 400) return response
  if (status === 404 || status === 410) throw throwable(exceptions.FileNotFoundException, request.uri.toString())
  throw throwable(
    exceptions.IOException,
    `Server returned HTTP response code: ${status} for URL: ${request.uri.toString()}`,
  )
}

/** Adds bytes to the body of the request. */
function write({ output }: ConnectionValue, bytes: Uint8Array): void {
  const length = output.reduce((sum, each) => sum + each.length, bytes.length)
  if (length > MAX_BODY) throw throwable(exceptions.IOException, `a body of more than ${MAX_BODY} bytes`)
  output.push(Buffer.from(bytes))
}

/** The content of a response. */
function contentOf({ host }: ResponseValue): InputStreamValue {
  return new InputStreamValue(() =>
    readBuffered(host, 'response', (entity) => new ByteArray(Uint8Array.from(entity.bytes))),
  )
}

const nothing = (): null => null

extendWithHost(ConnectionClass, {
  'setRequestMethod(String method): void': ({ request }: ConnectionValue, method: string) => {
    if (!/^[A-Z]{1,20}$/.test(method)) throw new TypeError(`Invalid HTTP method: ${method.slice(0, 40)}`)
    request.method = method
  },
  'getRequestMethod(): String': ({ request }: ConnectionValue) => request.method,
  'setRequestProperty(String name, Object value): void': ({ request }: ConnectionValue, name: string, value: Value) =>
    request.headers.set(name, textOf(value)),
  'addRequestProperty(String name, Object value): void': ({ request }: ConnectionValue, name: string, value: Value) =>
    request.headers.add(name, textOf(value)),
  'setDoOutput(boolean flag): void': nothing,
  'setDoInput(boolean flag): void': nothing,
  'setUseCaches(boolean flag): void': nothing,
  'setInstanceFollowRedirects(boolean flag): void': nothing,
  'setConnectTimeout(int milliseconds): void': nothing,
  'setReadTimeout(int milliseconds): void': nothing,
  'connect(): void': withResponse(nothing),
  'disconnect(): void': nothing,
  'getOutputStream(): OutputStream': (self: ConnectionValue) => new OutputStreamValue((bytes) => write(self, bytes)),
  'getResponseCode(): int': withResponse(({ host }) => host.status),
  'getResponseMessage(): String': withResponse(({ host }) => host.reason),
  'getContentType(): String': withResponse(({ host }) => host.headers.get('content-type')),
  'getHeaderField(String name): String': (self: ConnectionValue, name: string) =>
    andThen(responseOf(self), (response) => (response as ResponseValue).host.headers.get(name)),
  'getHeaderFields(): Map': withResponse(({ host }) =>
    HashMapValue.of(host.headers.names().map((name) => [name, new ListValue(host.headers.all(name))] as const)),
  ),
  'getInputStream(): InputStream': withResponse((response, self) => contentOf(successful(response, self))),
  'getErrorStream(): InputStream': withResponse((response) =>
    response.host.status < 400 ? null : contentOf(response),
  ),
  'getContent(): InputStream': withResponse((response, self) => contentOf(successful(response, self))),
})

const getText = (url: JavaUrl): Maybe =>
  withResponse((response, self) => textIn(successful(response, self)))(new ConnectionValue(url))

extendWithHost(UrlClass, {
  'openConnection(): HttpURLConnection': (url: JavaUrl) => new ConnectionValue(url),
  'getText(): String': getText,
  'getText(String charset): String': getText,
})
