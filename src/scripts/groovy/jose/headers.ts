// JwsHeader and JweHeader.
import { type MapValue, textOf, type Value } from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { findEncryptionAlgorithm, findEncryptionMethod, findSignatureAlgorithm } from './algorithms.ts'
import { FieldsClass, FieldsValue } from './fields.ts'

const HeaderClass = gatewayClass('json.jose.jws.JwtSecureHeader', { parent: FieldsClass })
const JwsHeaderClass = gatewayClass('json.jose.jws.JwsHeader', { parent: HeaderClass })
const JweHeaderClass = gatewayClass('json.jose.jwe.JweHeader', { parent: HeaderClass })

export const jwsHeader = (fields: MapValue): FieldsValue => new FieldsValue(JwsHeaderClass, fields)
export const jweHeader = (fields: MapValue): FieldsValue => new FieldsValue(JweHeaderClass, fields)

const member = (name: string) => (self: FieldsValue) => self.read(name)

extendWithHost(HeaderClass, {
  'getKeyId(): String': member('kid'),
  'getType(): String': member('typ'),
  'getContentType(): String': member('cty'),
  'getParameter(String name): Object': (self: FieldsValue, name: string) => self.read(name),
  'getParameters(): Map': ({ fields }: FieldsValue) => fields,
})

/** An algorithm that is not in the enum is returned as text. */
const algorithm = (name: string, find: (text: string) => Value | undefined) => (self: FieldsValue) => {
  const value = textOf(self.read(name))
  return find(value) ?? value
}

extendWithHost(JwsHeaderClass, {
  'getAlgorithm(): JwsAlgorithm': algorithm('alg', findSignatureAlgorithm),
})
extendWithHost(JweHeaderClass, {
  'getAlgorithm(): JweAlgorithm': algorithm('alg', findEncryptionAlgorithm),
  'getEncryptionMethod(): EncryptionMethod': algorithm('enc', findEncryptionMethod),
})
