import { andThen, callFunctional, textOf, type Value } from '@identity-gateway/groovy'
import { exposed } from '#expression'
import { Request, Response, Uri } from '#http'
import { CookiesValue } from './cookies.ts'
import { assignEntity } from './entity.ts'
import { queryForm, wholeForm } from './form.ts'
import { addHeader, putHeader } from './headers.ts'
import { extendWithHost, gatewayClass } from './host-class.ts'
import {
  RequestClass,
  type RequestValue,
  ResponseClass,
  type ResponseValue,
  requestValue,
  responseValue,
  withoutLimits,
} from './message-values.ts'
import { PromiseValue } from './promise.ts'
import { StatusValue } from './status.ts'
import { UriValue } from './uri.ts'

type MessageValue = RequestValue | ResponseValue

/** Common members of requests and responses. */
const common = (type: string) => ({
  'getHeaders(): Headers': ({ headers }: MessageValue) => headers,
  [`addHeaders(Object... headers): ${type}`]: (self: MessageValue, headers: Value[]) => {
    for (const each of headers) addHeader(self.headers, each)
    return self
  },
  [`putHeaders(Object... headers): ${type}`]: (self: MessageValue, headers: Value[]) => {
    for (const each of headers) putHeader(self.headers, each)
    return self
  },
  [`modifyHeaders(Consumer change): ${type}`]: (self: MessageValue, change: Value) =>
    andThen(callFunctional(change, [self.headers]), () => self),
  'getEntity(): Entity': ({ entity }: MessageValue) => entity,
  [`setEntity(Object? content): ${type}`]: (self: MessageValue, value: Value) => {
    assignEntity(self.host, value)
    return self
  },
  'getVersion(): String': ({ host }: MessageValue) => host.version,
  [`setVersion(String version): ${type}`]: (self: MessageValue) => self,
  'close(): void': () => null,
})

/** A URI without a host is resolved to the server of the current URI. */
function assignUri(self: RequestValue, value: Value): RequestValue {
  const uri = value instanceof UriValue ? value.host : textOf(value)
  self.host[exposed].set?.['uri']?.(self.host, uri)
  return self
}

function newRequest(): Request {
  return withoutLimits(new Request({ method: 'GET', uri: Uri.parse('') }))
}

extendWithHost(RequestClass, {
  'new()': () => requestValue(newRequest()),
  'new(Request other)': ({ host }: RequestValue) => requestValue(host.clone()),
  ...common('Request'),
  'getMethod(): String': ({ host }: RequestValue) => host.method,
  'setMethod(String method): Request': (self: RequestValue, method: string) => {
    self.host[exposed].set?.['method']?.(self.host, method)
    return self
  },
  'getUri(): MutableUri': ({ host }: RequestValue) => new UriValue(host.uri),
  'setUri(Object uri): Request': assignUri,
  'getCookies(): RequestCookies': ({ host }: RequestValue) => new CookiesValue(host),
  'getForm(): Form': ({ host }: RequestValue) => wholeForm(host),
  'getQueryParams(): Form': ({ host }: RequestValue) => queryForm(host),
  'toString(): String': ({ host }: RequestValue) => `${host.method} ${host.uri} ${host.version}`,
})

function assignStatus(self: ResponseValue, { code, reason }: StatusValue): ResponseValue {
  self.host.status = code
  self.host.reason = reason
  return self
}

const newResponse = (): ResponseValue => responseValue(withoutLimits(new Response(200)))

extendWithHost(ResponseClass, {
  'new()': newResponse,
  'new(Status status)': (status: StatusValue) => assignStatus(newResponse(), status),
  'new(Response other)': ({ host }: ResponseValue) => {
    const { status, reason, headers, body, isReceived } = host
    return responseValue(new Response(status, { reason, headers: headers.clone(), body, isReceived }))
  },
  'static newResponsePromise(Response? response): Promise': (response: ResponseValue) => PromiseValue.of(response),
  ...common('Response'),
  'getStatus(): Status': ({ host }: ResponseValue) => StatusValue.of(host.status, host.reason),
  'setStatus(Status status): Response': assignStatus,
  'setStatus(int code): Response': (self: ResponseValue, code: number) => assignStatus(self, StatusValue.of(code)),
  'getStatusCode(): int': ({ host }: ResponseValue) => host.status,
  'getCause(): Object': ({ host }: ResponseValue) => host.cause?.message ?? null,
  'toString(): String': ({ host }: ResponseValue) => `${host.version} ${host.status} ${host.reason}`,
})

const created = (code: number) => (): ResponseValue => assignStatus(newResponse(), StatusValue.of(code))

extendWithHost(gatewayClass('http.protocol.Responses'), {
  'static newInternalServerError(): Response': created(500),
  'static newInternalServerError(Throwable cause): Response': created(500),
  'static newNotFound(): Response': created(404),
})
