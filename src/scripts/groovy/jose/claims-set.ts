// JwtClaimsSet and its builder.
import {
  type ClassInfo,
  CollectionValue,
  classes,
  classOf,
  DateValue,
  isNumber,
  ListValue,
  MapValue,
  textOf,
  throwable,
  toDouble,
  type Value,
} from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { JsonValueValue } from '../json-data.ts'
import { JwtRuntimeException } from './exceptions.ts'
import { FieldsClass, FieldsValue, secondsOf } from './fields.ts'

const ClaimsSetClass = gatewayClass('json.jose.jwt.JwtClaimsSet', { parent: FieldsClass })
const ClaimsBuilderClass = gatewayClass('json.jose.builders.JwtClaimsSetBuilder')

export const claimsSet = (fields?: MapValue): FieldsValue => new FieldsValue(ClaimsSetClass, fields)

/** The members of claims, of a JsonValue or of a map. */
export function claimsOf(value: Value): MapValue {
  if (value instanceof FieldsValue) return value.fields
  if (value instanceof JsonValueValue && value.object instanceof MapValue) return value.object
  if (value instanceof MapValue) return value
  throw throwable(JwtRuntimeException, `expected claims, got ${value === null ? 'null' : classOf(value).name}`)
}

const TIMES: readonly string[] = ['exp', 'nbf', 'iat']

/** Times are stored as seconds; an audience of one element as text. */
function setClaim({ fields }: FieldsValue, name: string, value: Value): void {
  if (TIMES.includes(name)) fields.put(name, secondsOf(value))
  else if (name === 'aud' && value instanceof CollectionValue && value.size === 1)
    fields.put(name, value.items[0] ?? null)
  else fields.put(name, value)
}

function setClaims(self: FieldsValue, claims: MapValue): void {
  for (const { key, value } of claims.entries()) setClaim(self, textOf(key), value)
}

/** A time as a Date, as the Java class returns it. */
function dateOf(self: FieldsValue, name: string): Value {
  const value = self.read(name)
  return isNumber(value) ? new DateValue(Math.floor(toDouble(value) * 1_000)) : value
}

const getClaim = (self: FieldsValue, name: string): Value =>
  TIMES.includes(name) ? dateOf(self, name) : self.read(name)

/** A time is a Date unless a number is asked for. */
function typedClaim(self: FieldsValue, name: string, type: ClassInfo): Value {
  return type.isSubclassOf(classes.NumberClass) ? self.read(name) : getClaim(self, name)
}

const audience = (self: FieldsValue): Value => {
  const value = self.read('aud')
  return value instanceof ListValue || value === null ? value : new ListValue([value])
}

type Members = Record<string, (...args: never[]) => unknown>

/** Getter and setter of a claim with text. */
const textClaim = (property: string, name: string): Members => ({
  [`get${property}(): String`]: (self: FieldsValue) => self.read(name),
  [`set${property}(Object value): void`]: (self: FieldsValue, value: Value) => setClaim(self, name, textOf(value)),
})

/** Getter and setter of a claim with a time. */
const timeClaim = (property: string, name: string): Members => ({
  [`get${property}(): Date`]: (self: FieldsValue) => dateOf(self, name),
  [`set${property}(Object time): void`]: (self: FieldsValue, value: Value) => setClaim(self, name, value),
})

extendWithHost(ClaimsSetClass, {
  'new()': () => claimsSet(),
  'new(Map claims)': (claims: MapValue) => {
    const made = claimsSet()
    setClaims(made, claims)
    return made
  },
  'getClaim(String name): Object': getClaim,
  'getClaim(String name, Class type): Object': typedClaim,
  'setClaim(String name, Object? value): void': setClaim,
  'setClaims(Map claims): void': setClaims,
  ...textClaim('Issuer', 'iss'),
  ...textClaim('Subject', 'sub'),
  ...textClaim('JwtId', 'jti'),
  ...textClaim('Type', 'typ'),
  ...timeClaim('ExpirationTime', 'exp'),
  ...timeClaim('NotBeforeTime', 'nbf'),
  ...timeClaim('IssuedAtTime', 'iat'),
  'getAudience(): List': audience,
  'addAudience(Object audience): void': (self: FieldsValue, value: Value) => {
    const before = audience(self)
    setClaim(self, 'aud', new ListValue([...(before instanceof ListValue ? before.items : []), textOf(value)]))
  },
})

const setter =
  (name: string) =>
  (self: FieldsValue, value: Value): FieldsValue => {
    setClaim(self, name, value)
    return self
  }

const textSetter = (name: string) => (self: FieldsValue, value: Value) => setter(name)(self, textOf(value))

extendWithHost(ClaimsBuilderClass, {
  'iss(Object issuer): JwtClaimsSetBuilder': textSetter('iss'),
  'sub(Object subject): JwtClaimsSetBuilder': textSetter('sub'),
  'aud(List audience): JwtClaimsSetBuilder': setter('aud'),
  'jti(String id): JwtClaimsSetBuilder': setter('jti'),
  'iat(Object time): JwtClaimsSetBuilder': setter('iat'),
  'exp(Object time): JwtClaimsSetBuilder': setter('exp'),
  'nbf(Object time): JwtClaimsSetBuilder': setter('nbf'),
  'claim(String name, Object? value): JwtClaimsSetBuilder': (self: FieldsValue, name: string, value: Value) =>
    setter(name)(self, value),
  'claims(Map claims): JwtClaimsSetBuilder': (self: FieldsValue, claims: MapValue) => {
    setClaims(self, claims)
    return self
  },
  'build(): JwtClaimsSet': ({ fields }: FieldsValue) => claimsSet(fields),
})

export const claimsBuilder = (): FieldsValue => new FieldsValue(ClaimsBuilderClass)
