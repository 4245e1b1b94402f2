// JwtBuilderFactory: signed and encrypted tokens.
import {
  andThen,
  type ClassInfo,
  GroovyObject,
  HashMapValue,
  type MapValue,
  type Maybe,
  suspend,
  textOf,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { type EncryptionAlgorithm, type EncryptionMethod, encryptJwt } from '#jose'
import type { JsonObject } from '#json'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { findEncryptionAlgorithm, findEncryptionMethod } from './algorithms.ts'
import { claimsBuilder, claimsOf } from './claims-set.ts'
import { JweEncryptionException } from './exceptions.ts'
import { jsonFields } from './fields.ts'
import { secretOf } from './keys.ts'
import type { SigningHandlerValue } from './signing-handlers.ts'
import { EncryptedJwtClass, parsedJwt, SignedJwtClass } from './tokens.ts'

const FactoryClass = gatewayClass('json.jose.builders.JwtBuilderFactory')
const SignedBuilderClass = gatewayClass('json.jose.builders.SignedJwtBuilder')
const EncryptedBuilderClass = gatewayClass('json.jose.builders.EncryptedJwtBuilder')
const JwsHeaderBuilderClass = gatewayClass('json.jose.builders.JwsHeaderBuilder')
const JweHeaderBuilderClass = gatewayClass('json.jose.builders.JweHeaderBuilder')

class FactoryValue extends GroovyObject {
  get klass(): ClassInfo {
    return FactoryClass
  }
}

/** A token in the making. */
class BuilderValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly header = new HashMapValue()
  claims: MapValue = new HashMapValue()
  /** The compact form; may suspend the script. */
  readonly compact: (header: JsonObject, claims: JsonObject) => Maybe

  constructor(klass: ClassInfo, compact: BuilderValue['compact']) {
    super()
    this.klass = klass
    this.compact = compact
  }

  build(): Maybe {
    return this.compact(jsonFields(this.header), jsonFields(this.claims))
  }
}

/** `headers()` of a builder, until `done()`. */
class HeaderBuilderValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly builder: BuilderValue

  constructor(klass: ClassInfo, builder: BuilderValue) {
    super()
    this.klass = klass
    this.builder = builder
  }
}

function encrypt(key: Value, header: JsonObject, claims: JsonObject): Maybe {
  const { alg, enc } = header
  const isKnown = findEncryptionAlgorithm(String(alg)) !== undefined && findEncryptionMethod(String(enc)) !== undefined
  if (!isKnown) {
    throw throwable(
      JweEncryptionException,
      'set the algorithm by alg(JweAlgorithm) and the method by enc(EncryptionMethod)',
    )
  }
  const encrypting = {
    algorithm: alg as EncryptionAlgorithm,
    method: enc as EncryptionMethod,
    content: 'claims',
    header,
  } as const
  return suspend(
    encryptJwt(secretOf(key).active, JSON.stringify(claims), encrypting).catch((error: Error) => {
      throw throwable(JweEncryptionException, error.message)
    }),
  )
}

extendWithHost(FactoryClass, {
  'new()': () => new FactoryValue(),
  'jws(SigningHandler handler): SignedJwtBuilder': (_: Value, handler: SigningHandlerValue) =>
    new BuilderValue(SignedBuilderClass, (header, claims) => handler.sign(header, claims)),
  'jwe(Object key): EncryptedJwtBuilder': (_: Value, key: Value) => {
    secretOf(key)
    return new BuilderValue(EncryptedBuilderClass, (header, claims) => encrypt(key, header, claims))
  },
  'claims(): JwtClaimsSetBuilder': claimsBuilder,
  'reconstruct(String token, Class type): Jwt': (_: Value, token: string, type: ClassInfo) => parsedJwt(token, type),
})

/** The members of both builders. */
function builderMembers(klass: ClassInfo, headerClass: ClassInfo, tokenClass: ClassInfo): void {
  extendWithHost(klass, {
    [`headers(): ${headerClass.simpleName}`]: (self: BuilderValue) => new HeaderBuilderValue(headerClass, self),
    [`claims(Object claims): ${klass.simpleName}`]: (self: BuilderValue, claims: Value) => {
      self.claims = claimsOf(claims)
      return self
    },
    [`asJwt(): ${tokenClass.simpleName}`]: (self: BuilderValue) =>
      andThen(self.build(), (text) => parsedJwt(textOf(text), tokenClass)),
    'build(): String': (self: BuilderValue) => self.build(),
  })
  const set = (self: HeaderBuilderValue, name: string, value: Value): HeaderBuilderValue => {
    self.builder.header.put(name, value)
    return self
  }
  const textMember = (name: string) => (self: HeaderBuilderValue, value: Value) => set(self, name, textOf(value))
  const own = headerClass.simpleName
  extendWithHost(headerClass, {
    [`alg(Object algorithm): ${own}`]: textMember('alg'),
    [`kid(String id): ${own}`]: textMember('kid'),
    [`cty(String type): ${own}`]: textMember('cty'),
    [`x5t(String thumbprint): ${own}`]: textMember('x5t'),
    [`header(String name, Object value): ${own}`]: set,
    [`headerIfNotNull(String name, Object? value): ${own}`]: (self: HeaderBuilderValue, name: string, value: Value) =>
      value === null ? self : set(self, name, value),
    [`done(): ${klass.simpleName}`]: ({ builder }: HeaderBuilderValue) => builder,
  })
}

builderMembers(SignedBuilderClass, JwsHeaderBuilderClass, SignedJwtClass)
builderMembers(EncryptedBuilderClass, JweHeaderBuilderClass, EncryptedJwtClass)
extendWithHost(JweHeaderBuilderClass, {
  'enc(Object method): JweHeaderBuilder': (self: HeaderBuilderValue, method: Value) => {
    self.builder.header.put('enc', textOf(method))
    return self
  },
})
