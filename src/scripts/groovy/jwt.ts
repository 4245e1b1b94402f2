// JSON Web Tokens for scripts: parsed without verification, verified or signed with a shared key.
import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  type ByteArray,
  type ClassInfo,
  classes,
  classOf,
  DateValue,
  EnumValue,
  exceptions,
  GroovyObject,
  HashMapValue,
  isNumber,
  ListValue,
  MapValue,
  ObjectArray,
  textOf,
  throwable,
  toDouble,
  type Value,
} from '#groovy'
import { isPlainObject, parseJson } from '#json'
import { extendWithHost, gatewayClass, gatewayInterface } from './host-class.ts'
import { convertValue, toGroovy, toHost } from './host-values.ts'
import { JsonValueValue } from './json-value.ts'

const JwtInterface = gatewayInterface('json.jose.jwt.Jwt', null)
const SignedJwtClass = gatewayClass('json.jose.jws.SignedJwt', { interfaces: [JwtInterface] })
const ClaimsSetClass = gatewayClass('json.jose.jwt.JwtClaimsSet')
const HeaderClass = gatewayClass('json.jose.jws.JwsHeader')
const ReconstructionClass = gatewayClass('json.jose.common.JwtReconstruction')
const FactoryClass = gatewayClass('json.jose.builders.JwtBuilderFactory')
const BuilderClass = gatewayClass('json.jose.builders.SignedJwtBuilder')
const HeaderBuilderClass = gatewayClass('json.jose.builders.JwsHeaderBuilder')
const ClaimsBuilderClass = gatewayClass('json.jose.builders.JwtClaimsSetBuilder')
const ManagerClass = gatewayClass('json.jose.jws.SigningManager')
const SigningHandlerClass = gatewayClass('json.jose.jws.handlers.SigningHandler')
const AlgorithmClass = gatewayClass('json.jose.jws.JwsAlgorithm', { kind: 'enum', parent: classes.EnumClass })

const HASHES: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }
const ALGORITHMS = Object.keys(HASHES).map((name, at) => new EnumValue(AlgorithmClass, name, at))

/** Claims, or the header of a token. */
class FieldsValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly fields: MapValue

  constructor(klass: ClassInfo, fields: MapValue = new HashMapValue()) {
    super()
    this.klass = klass
    this.fields = fields
  }
}

convertValue(FieldsValue, ({ fields }) => toHost(fields))

/** A token: its header, claims and compact form. */
class JwtValue extends GroovyObject {
  readonly header: FieldsValue
  readonly claims: FieldsValue
  readonly text: string

  constructor(header: FieldsValue, claims: FieldsValue, text: string) {
    super()
    this.header = header
    this.claims = claims
    this.text = text
  }

  get klass(): ClassInfo {
    return SignedJwtClass
  }
}

convertValue(JwtValue, ({ text }) => text)

/** A key that signs and verifies. */
class SigningHandlerValue extends GroovyObject {
  readonly key: Uint8Array

  constructor(key: Uint8Array) {
    super()
    if (key.length === 0) throw exceptions.illegalArgument('the key is empty')
    this.key = Uint8Array.from(key)
  }

  get klass(): ClassInfo {
    return SigningHandlerClass
  }
}

const MAX_TOKEN = 100_000

function invalid(message: string): unknown {
  return throwable(exceptions.IllegalArgumentException, message)
}

/** Reads a token without verifying it. */
function reconstruct(text: string): JwtValue {
  const parts = text.split('.')
  if (text.length > MAX_TOKEN || parts.length !== 3) throw invalid('not a signed JWT: expected three parts')
  const [header, claims] = parts.slice(0, 2).map((part) => {
    const json = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
    if (!isPlainObject(json)) throw invalid('not a signed JWT: header or claims are not JSON objects')
    return toGroovy(json) as MapValue
  })
  return new JwtValue(new FieldsValue(HeaderClass, header), new FieldsValue(ClaimsSetClass, claims), text)
}

function signature(text: string, algorithm: string, { key }: SigningHandlerValue): Buffer {
  const hash = HASHES[algorithm]
  if (hash === undefined || !Object.hasOwn(HASHES, algorithm)) {
    throw invalid(`the algorithm ${algorithm} is not available to scripts: HS256, HS384 or HS512`)
  }
  return createHmac(hash, key).update(text).digest()
}

/** Verifies the signature with this key and the algorithm of the header, which can not be `none`. */
function verify({ text, header }: JwtValue, handler: SigningHandlerValue): boolean {
  const end = text.lastIndexOf('.')
  const algorithm = textOf(header.fields.get('alg') ?? null)
  if (!Object.hasOwn(HASHES, algorithm)) return false
  const expected = signature(text.slice(0, end), algorithm, handler)
  const given = Buffer.from(text.slice(end + 1), 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const encoded = (fields: MapValue): string => Buffer.from(JSON.stringify(toHost(fields))).toString('base64url')

function build({ handler, header, claims }: BuilderValue): JwtValue {
  const algorithm = textOf(header.get('alg') ?? null)
  if (header.get('alg') === undefined) header.put('alg', 'HS256')
  const text = `${encoded(header)}.${encoded(claims)}`
  const signed = signature(text, algorithm === 'null' ? 'HS256' : algorithm, handler)
  return new JwtValue(
    new FieldsValue(HeaderClass, header),
    new FieldsValue(ClaimsSetClass, claims),
    `${text}.${signed.toString('base64url')}`,
  )
}

class BuilderValue extends GroovyObject {
  readonly klass: ClassInfo = BuilderClass
  readonly handler: SigningHandlerValue
  readonly header = HashMapValue.of([['typ', 'JWT']])
  claims: MapValue = new HashMapValue()

  constructor(handler: SigningHandlerValue) {
    super()
    this.handler = handler
  }
}

/** `headers()` of a builder, until `done()`. */
class HeaderBuilderValue extends GroovyObject {
  readonly builder: BuilderValue

  constructor(builder: BuilderValue) {
    super()
    this.builder = builder
  }

  get klass(): ClassInfo {
    return HeaderBuilderClass
  }
}

const plainMap = (value: Value): MapValue => {
  if (value instanceof FieldsValue) return value.fields
  if (value instanceof JsonValueValue && value.object instanceof MapValue) return value.object
  if (value instanceof MapValue) return value
  throw invalid(`expected claims, got ${value === null ? 'null' : classOf(value).name}`)
}

const only = (klass: ClassInfo) => () => new FieldsValue(klass)

extendWithHost(ReconstructionClass, {
  'new()': only(ReconstructionClass),
  'reconstructJwt(String token, Class type): Object': (_: Value, token: string) => reconstruct(token),
})

extendWithHost(SignedJwtClass, {
  'getClaimsSet(): JwtClaimsSet': ({ claims }: JwtValue) => claims,
  'getHeader(): JwsHeader': ({ header }: JwtValue) => header,
  'verify(SigningHandler handler): boolean': verify,
  'build(): String': ({ text }: JwtValue) => text,
  'toString(): String': ({ text }: JwtValue) => text,
})

/** Claims with a getter, and the names of the getters. */
const NAMED: readonly (readonly [string, string])[] = [
  ['Issuer', 'iss'],
  ['Subject', 'sub'],
  ['JwtId', 'jti'],
  ['Type', 'typ'],
]

/** Claims that are times. */
const TIMES: readonly (readonly [string, string])[] = [
  ['ExpirationTime', 'exp'],
  ['NotBeforeTime', 'nbf'],
  ['IssuedAtTime', 'iat'],
]

/** The time of seconds since the epoch; null for no number. */
const dateOf = (seconds: Value): Value => (isNumber(seconds) ? new DateValue(toDouble(seconds) * 1_000) : null)

const read = ({ fields }: FieldsValue, name: string): Value => fields.get(name) ?? null

extendWithHost(ClaimsSetClass, {
  'new()': only(ClaimsSetClass),
  'new(Map claims)': (claims: MapValue) => new FieldsValue(ClaimsSetClass, claims),
  'getClaim(String name): Object': read,
  'getClaim(String name, Class type): Object': read,
  'get(String name): JsonValue': ({ fields }: FieldsValue, name: string) =>
    new JsonValueValue(fields.get(name) ?? null),
  'setClaim(String name, Object? value): void': ({ fields }: FieldsValue, name: string, value: Value) =>
    fields.put(name, value),
  'setClaims(Map claims): void': ({ fields }: FieldsValue, claims: MapValue) => {
    for (const { key, value } of claims.entries()) fields.put(key, value)
  },
  'isDefined(String name): boolean': ({ fields }: FieldsValue, name: string) => fields.has(name),
  'keys(): Set': ({ fields }: FieldsValue) => fields.klass.method('keySet')?.invoke(fields, []) ?? null,
  'toJsonValue(): JsonValue': ({ fields }: FieldsValue) => new JsonValueValue(fields),
  'getAudience(): List': ({ fields }: FieldsValue) => {
    const audience = fields.get('aud') ?? null
    return audience instanceof ListValue || audience === null ? audience : new ListValue([audience])
  },
  ...Object.fromEntries(
    NAMED.flatMap(([name, claim]) => [
      [`get${name}(): String`, (self: FieldsValue) => read(self, claim)],
      [`set${name}(String value): void`, ({ fields }: FieldsValue, value: string) => fields.put(claim, value)],
    ]),
  ),
  'addAudience(String audience): void': ({ fields }: FieldsValue, audience: string) => {
    const before = fields.get('aud') ?? new ListValue([])
    fields.put('aud', new ListValue([...(before instanceof ListValue ? before.items : [before]), audience]))
  },
  ...Object.fromEntries(
    TIMES.flatMap(([name, claim]) => [
      [`get${name}(): Date`, (self: FieldsValue) => dateOf(read(self, claim))],
      [`set${name}(Date? time): void`, ({ fields }: FieldsValue, time: Value) => fields.put(claim, secondsOf(time))],
    ]),
  ),
  'build(): String': ({ fields }: FieldsValue) => JSON.stringify(toHost(fields)),
  'toString(): String': ({ fields }: FieldsValue) => JSON.stringify(toHost(fields)),
})

extendWithHost(HeaderClass, {
  'getAlgorithm(): Object': ({ fields }: FieldsValue) => {
    const name = textOf(fields.get('alg') ?? null)
    return ALGORITHMS.find(({ constant }) => constant === name) ?? name
  },
  'getKeyId(): String': (self: FieldsValue) => read(self, 'kid'),
  'getParameter(String name): Object': read,
  'get(String name): JsonValue': ({ fields }: FieldsValue, name: string) =>
    new JsonValueValue(fields.get(name) ?? null),
  'toString(): String': ({ fields }: FieldsValue) => JSON.stringify(toHost(fields)),
})

extendWithHost(ManagerClass, {
  'new()': only(ManagerClass),
  'newHmacSigningHandler(byte[] key): SigningHandler': (_: Value, { bytes }: ByteArray) =>
    new SigningHandlerValue(bytes),
})

extendWithHost(FactoryClass, {
  'new()': only(FactoryClass),
  'jws(SigningHandler handler): SignedJwtBuilder': (_: Value, handler: SigningHandlerValue) =>
    new BuilderValue(handler),
  'claims(): JwtClaimsSetBuilder': () => new FieldsValue(ClaimsBuilderClass),
  'reconstruct(String token, Class type): Object': (_: Value, token: string) => reconstruct(token),
})

extendWithHost(BuilderClass, {
  'headers(): JwsHeaderBuilder': (self: BuilderValue) => new HeaderBuilderValue(self),
  'claims(Object claims): SignedJwtBuilder': (self: BuilderValue, claims: Value) => {
    self.claims = plainMap(claims)
    return self
  },
  'asJwt(): SignedJwt': build,
  'build(): String': (self: BuilderValue) => build(self).text,
})

const setHeader = (name: string) => (self: HeaderBuilderValue, value: Value) => {
  self.builder.header.put(name, textOf(value))
  return self
}

extendWithHost(HeaderBuilderClass, {
  'alg(Object algorithm): JwsHeaderBuilder': setHeader('alg'),
  'kid(String id): JwsHeaderBuilder': setHeader('kid'),
  'header(String name, Object value): JwsHeaderBuilder': (self: HeaderBuilderValue, name: string, value: Value) => {
    self.builder.header.put(name, value)
    return self
  },
  'done(): SignedJwtBuilder': ({ builder }: HeaderBuilderValue) => builder,
})

const setClaim = (name: string) => (self: FieldsValue, value: Value) => {
  self.fields.put(name, value)
  return self
}

extendWithHost(ClaimsBuilderClass, {
  'iss(String issuer): JwtClaimsSetBuilder': setClaim('iss'),
  'sub(String subject): JwtClaimsSetBuilder': setClaim('sub'),
  'aud(List audience): JwtClaimsSetBuilder': setClaim('aud'),
  'jti(String id): JwtClaimsSetBuilder': setClaim('jti'),
  'iat(Object time): JwtClaimsSetBuilder': (self: FieldsValue, time: Value) => setClaim('iat')(self, secondsOf(time)),
  'exp(Object time): JwtClaimsSetBuilder': (self: FieldsValue, time: Value) => setClaim('exp')(self, secondsOf(time)),
  'nbf(Object time): JwtClaimsSetBuilder': (self: FieldsValue, time: Value) => setClaim('nbf')(self, secondsOf(time)),
  'claim(String name, Object? value): JwtClaimsSetBuilder': (self: FieldsValue, name: string, value: Value) =>
    setClaim(name)(self, value),
  'claims(Map claims): JwtClaimsSetBuilder': (self: FieldsValue, claims: MapValue) => {
    for (const { key, value } of claims.entries()) self.fields.put(key, value)
    return self
  },
  'build(): JwtClaimsSet': ({ fields }: FieldsValue) => new FieldsValue(ClaimsSetClass, fields),
})

/** A Date or an Instant as seconds since the epoch; numbers as they are. */
function secondsOf(time: Value): Value {
  const klass = time === null ? null : classOf(time)
  if (klass?.name === 'java.util.Date') return (klass.method('getTime')?.invoke(time, []) as bigint) / 1_000n
  if (klass?.name === 'java.time.Instant') return klass.method('getEpochSecond')?.invoke(time, []) ?? null
  return time
}

extendWithHost(AlgorithmClass, {
  ...Object.fromEntries(ALGORITHMS.map((each) => [`static ${each.constant}: JwsAlgorithm`, each])),
  'static values(): JwsAlgorithm[]': () => new ObjectArray(AlgorithmClass, [...ALGORITHMS]),
  'static valueOf(String name): JwsAlgorithm': (name: string) => {
    const found = ALGORITHMS.find(({ constant }) => constant === name)
    if (found === undefined) throw invalid(`the algorithm ${name} is not available to scripts: HS256, HS384 or HS512`)
    return found
  },
})
