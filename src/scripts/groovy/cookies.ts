import {
  type ClassInfo,
  CollectionValue,
  classes,
  GroovyObject,
  ListValue,
  MapEntry,
  MapValue,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { type Cookie, formatSetCookie, parseCookieHeader, parseSetCookie, type Request } from '#http'
import { HeaderValue, headerClass } from './headers.ts'
import { extendWithHost, gatewayClass } from './host-class.ts'
import type { RequestValue, ResponseValue } from './message-values.ts'

const CookieClass = gatewayClass('http.protocol.Cookie')
const CookiesClass = gatewayClass('http.protocol.RequestCookies', { interfaces: [classes.MapInterface] })

/** One cookie, of a request or of a response. */
class CookieValue extends GroovyObject {
  readonly host: Cookie

  constructor(host: Cookie) {
    super()
    this.host = host
  }

  get klass(): ClassInfo {
    return CookieClass
  }
}

type TextField = 'name' | 'value' | 'path' | 'domain' | 'expires' | 'sameSite'

/** Getter and setter of an attribute; the setter returns the cookie. */
function textMember(name: TextField): Record<string, (...args: never[]) => unknown> {
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return {
    [`get${capital}(): String`]: ({ host }: CookieValue) => host[name] ?? null,
    [`set${capital}(Object? text): Cookie`]: (self: CookieValue, value: Value) => {
      if (value === null) Reflect.deleteProperty(self.host, name)
      else self.host[name] = textOf(value)
      return self
    },
  }
}

function flagMember(name: 'secure' | 'httpOnly'): Record<string, (...args: never[]) => unknown> {
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  return {
    [`is${capital}(): Boolean`]: ({ host }: CookieValue) => host[name] ?? false,
    [`get${capital}(): Boolean`]: ({ host }: CookieValue) => host[name] ?? false,
    [`set${capital}(boolean flag): Cookie`]: (self: CookieValue, value: boolean) => {
      self.host[name] = value
      return self
    },
  }
}

extendWithHost(CookieClass, {
  'new()': () => new CookieValue({ name: '', value: '' }),
  ...textMember('name'),
  ...textMember('value'),
  ...textMember('path'),
  ...textMember('domain'),
  ...textMember('expires'),
  ...textMember('sameSite'),
  ...flagMember('secure'),
  ...flagMember('httpOnly'),
  'getMaxAge(): Integer': ({ host }: CookieValue) => host.maxAge ?? null,
  'setMaxAge(int seconds): Cookie': (self: CookieValue, value: number) => {
    self.host.maxAge = value
    return self
  },
  'getVersion(): Integer': ({ host }: CookieValue) => host.version ?? null,
  'setVersion(int version): Cookie': (self: CookieValue, value: number) => {
    self.host.version = value
    return self
  },
  'toString(): String': ({ host }: CookieValue) => formatSetCookie(host),
})

/** The cookies of a request by name; put and remove change the Cookie header. */
export class CookiesValue extends MapValue {
  readonly #request: Request

  constructor(request: Request) {
    super()
    this.#request = request
  }

  get klass(): ClassInfo {
    return CookiesClass
  }

  get size(): number {
    return Object.keys(this.#request.cookies).length
  }

  get(key: Value): Value | undefined {
    const name = textOf(key)
    if (!Object.hasOwn(this.#request.cookies, name)) return undefined
    return new ListValue((this.#request.cookies[name] ?? []).map((each) => new CookieValue({ ...each })))
  }

  has(key: Value): boolean {
    return Object.hasOwn(this.#request.cookies, textOf(key))
  }

  put(key: Value, value: Value): void {
    const name = textOf(key)
    const items = value instanceof CollectionValue ? value.items : [value]
    const kept = this.#all().filter((each) => each.name !== name)
    this.#write([...kept, ...items.map((each) => cookieOf(name, each))])
  }

  delete(key: Value): void {
    const name = textOf(key)
    this.#write(this.#all().filter((each) => each.name !== name))
  }

  clear(): void {
    this.#write([])
  }

  entries(): readonly MapEntry[] {
    return Object.keys(this.#request.cookies).map((name) => new MapEntry(name, this.get(name) ?? null))
  }

  #all(): Cookie[] {
    return this.#request.headers.all('cookie').flatMap(parseCookieHeader)
  }

  #write(cookies: readonly Cookie[]): void {
    this.modifications += 1
    const text = cookies.map(({ name, value }) => formatSetCookie({ name, value })).join('; ')
    if (text === '') this.#request.headers.delete('Cookie')
    else this.#request.headers.set('Cookie', text)
  }
}

function cookieOf(name: string, value: Value): Cookie {
  return value instanceof CookieValue ? { ...value.host, name } : { name, value: textOf(value) }
}

/** A header that consists of cookies. */
function cookieHeader(simpleName: string, name: string, parse: (text: string) => Cookie[]): void {
  const klass = headerClass(simpleName, name)
  const format = (cookies: readonly CookieValue[]): string[] =>
    name === 'Cookie'
      ? [cookies.map(({ host }) => formatSetCookie({ name: host.name, value: host.value })).join('; ')]
      : cookies.map(({ host }) => formatSetCookie(host))
  const made = (cookies: readonly CookieValue[]): HeaderValue => new HeaderValue(name, format(cookies), klass)
  extendWithHost(klass, {
    'new(List cookies)': (cookies: ListValue) => made(cookies.items as readonly CookieValue[]),
    'static valueOf(Message message): Object': ({ host }: RequestValue | ResponseValue) =>
      made(host.headers.all(name).flatMap((text) => parse(text).map((each) => new CookieValue(each)))),
    'static valueOf(String text): Object': (text: string) => made(parse(text).map((each) => new CookieValue(each))),
    'getCookies(): List': (self: HeaderValue) =>
      new ListValue(self.items.flatMap((each) => parse(textOf(each)).map((cookie) => new CookieValue(cookie)))),
  })
}

cookieHeader('CookieHeader', 'Cookie', parseCookieHeader)
cookieHeader('SetCookieHeader', 'Set-Cookie', (text) => [parseSetCookie(text)])
