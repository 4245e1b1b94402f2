import {
  bag,
  certificateBag,
  explicit,
  identity,
  integer,
  javaKey,
  javaKeyStore,
  javaObject,
  javaSecret,
  javaTrusted,
  octets,
  oid,
  type Pkcs12Options,
  pbes2,
  pkcs12,
  sequence,
} from './keystore-writer.ts'

/** The password of all samples and of their entries. */
export const samplePassword = 'changeit'

/** Two identities, so that the certificate of one can be trusted by the other's store. */
export const own = identity(1)
export const other = identity(2)

/** A PKCS #12 file with a key, its certificate, a trusted certificate and a secret key. */
export function samplePkcs12(options: Pkcs12Options = {}): Buffer {
  const { password = samplePassword, iterations = 1 } = options
  const [algorithm, encrypted] = pbes2(own.pkcs8, password, iterations)
  const secretInfo = sequence(integer(0), sequence(oid('2.16.840.1.101.3.4.1')), octets(Buffer.alloc(32, 7)))
  const [secretAlgorithm, secret] = pbes2(secretInfo, password, iterations)
  const wrapped = octets(sequence(secretAlgorithm, octets(secret)))
  const secretBag = sequence(oid('1.2.840.113549.1.12.10.1.2'), explicit(0, wrapped))
  return pkcs12(
    [bag(2, sequence(algorithm, octets(encrypted)), 'mine', 'Time 1700000000000'), bag(5, secretBag, 'secret')],
    [
      bag(3, certificateBag(own.certificate), 'mine', 'Time 1700000000000'),
      bag(3, certificateBag(other.certificate), 'theirs', undefined, 'trusted'),
    ],
    options,
  )
}

/** The same in JKS, which has no secret keys. */
export function sampleJks(): Buffer {
  return javaKeyStore('JKS', [javaKey('mine', own.pkcs8, [own.certificate]), javaTrusted('theirs', other.certificate)])
}

/** The same in JCEKS, with few iterations. */
export function sampleJceks(): Buffer {
  return javaKeyStore('JCEKS', [
    javaKey('mine', own.pkcs8, [own.certificate], 20),
    javaTrusted('theirs', other.certificate),
    javaSecret('secret', sampleSecret, 20),
  ])
}

/** A serialised AES key. */
export const sampleSecret: Buffer = javaObject('javax.crypto.spec.SecretKeySpec', {
  algorithm: 'AES',
  key: Buffer.alloc(32, 7),
})
