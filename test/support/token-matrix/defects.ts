// What can be wrong with a token: each changes one thing in a valid one.
import { createHmac } from 'node:crypto'
import { json, type SigningKeys, type Specimen, signatureOf } from './specimen.ts'

export interface Defect {
  readonly name: string
  /** Whether it concerns the claims, so that a response can have it too. */
  readonly isOfClaims: boolean
  readonly apply: (valid: Specimen, at: DefectContext) => Specimen
}

interface DefectContext {
  /** Seconds since the epoch. */
  readonly now: number
  readonly keys: SigningKeys
  /** A JWK of the stranger, as JSON text. */
  readonly strangerKey: string
}

type Change = (at: DefectContext, value: string) => string | null

const ofToken = (name: string, apply: Defect['apply']): Defect => ({ name, isOfClaims: false, apply })
const ofClaims = (name: string, apply: Defect['apply']): Defect => ({ name, isOfClaims: true, apply })

/** A member with another value, also where there was none; null removes it. */
function changed(part: 'header' | 'claims', name: string, value: string | Change | null): Defect['apply'] {
  return (valid, at) => {
    const { [name]: before = 'null', ...others } = valid[part]
    const now = typeof value === 'function' ? value(at, before) : value
    return { ...valid, [part]: now === null ? others : { ...others, [name]: now } }
  }
}

const header = (title: string, name: string, value: string | Change | null) =>
  ofToken(`header: ${title}`, changed('header', name, value))
const claim = (name: string, title: string, value: string | Change | null) =>
  ofClaims(`\`${name}\`: ${title}`, changed('claims', name, value))

const later =
  (seconds: number): Change =>
  ({ now }) =>
    String(now + seconds)
const text =
  (change: (value: string) => string): Change =>
  (_, value) =>
    json(change(String(JSON.parse(value))))

const signedByStranger: Required<Specimen>['signed'] = (content, { other }) => signatureOf(content, other)
const encoded = (value: string) => Buffer.from(value).toString('base64url')

const SIGNATURE: readonly Defect[] = [
  ofToken('no signature', (valid) => ({ ...valid, signed: () => Buffer.alloc(0) })),
  ...['none', 'NONE', 'nOnE'].map((alg) =>
    ofToken(`header: \`alg\` \`${alg}\``, (valid, at) => ({
      ...changed('header', 'alg', json(alg))(valid, at),
      signed: () => Buffer.alloc(0),
    })),
  ),
  ofToken('signed by a stranger', (valid) => ({ ...valid, signed: signedByStranger })),
  ofToken('signed by a stranger, no `kid`', (valid, at) => ({
    ...changed('header', 'kid', null)(valid, at),
    signed: signedByStranger,
  })),
  ofToken('signed by a stranger, whose key is in `jwk`', (valid, at) => ({
    ...changed('header', 'jwk', at.strangerKey)({ ...valid, signed: signedByStranger }, at),
  })),
  ...['jku', 'x5u'].map((name) =>
    ofToken(`signed by a stranger, whose key is at \`${name}\``, (valid, at) => ({
      ...changed('header', name, '"http://127.0.0.1:9/keys"')({ ...valid, signed: signedByStranger }, at),
    })),
  ),
  ofToken('`alg` `HS256` with the public key as the secret', (valid, at) => ({
    ...changed('header', 'alg', '"HS256"')(valid, at),
    signed: (content, { published }) => createHmac('sha256', published).update(content).digest(),
  })),
  ofToken('claims changed after signing', (valid, { keys }) => ({
    ...valid,
    sent: (token) => {
      const [first, second, third] = token.split('.') as [string, string, string]
      const bytes = Buffer.from(second, 'base64url')
      return [first, encoded(bytes.toString('latin1').replace('}', ',"admin":true}')), third].join('.')
    },
    signed: (content) => signatureOf(content, keys.own),
  })),
]

const FORM: readonly Defect[] = [
  header('`alg` in lower case', 'alg', '"es256"'),
  header('`alg` is a list', 'alg', '["ES256"]'),
  ofToken('header: a member twice', (valid) => ({ ...valid, more: { header: ',"alg":"none"' } })),
  header('`crit`', 'crit', '["exp"]'),
  header('`b64` false', 'b64', 'false'),
  header('`zip` `DEF`', 'zip', '"DEF"'),
  header('`kid` is a number', 'kid', '7'),
  header('`kid` of 9,000 characters', 'kid', json('k'.repeat(9_000))),
  header('`typ` is a number', 'typ', '7'),
  ofToken('spaces around it', (valid) => ({ ...valid, sent: (token) => ` ${token.replaceAll('.', ' . ')} ` })),
  ofToken('padding `=`', (valid) => ({ ...valid, sent: (token) => `${token}=` })),
  ofToken('a fourth part', (valid) => ({ ...valid, sent: (token) => `${token}.e30` })),
  ofToken('as JSON serialization', (valid) => ({
    ...valid,
    sent: (token) => {
      const [first, second, third] = token.split('.')
      return json({ protected: first, payload: second, signature: third })
    },
  })),
  ofToken('signed twice, one token in the other', (valid, { keys }) => ({
    ...valid,
    sent: (token) => {
      const content = `${encoded('{"alg":"ES256","kid":"issuer","cty":"JWT"}')}.${encoded(token)}`
      return `${content}.${signatureOf(content, keys.own).toString('base64url')}`
    },
  })),
  ofToken('encrypted with no key of the gateway', (valid) => ({
    ...valid,
    sent: () =>
      [encoded('{"alg":"dir","enc":"A128GCM"}'), '', encoded('iv'), encoded('text'), encoded('tag')].join('.'),
  })),
]

const JSON_TEXT: readonly Defect[] = [
  ofClaims('a claim twice', (valid) => ({ ...valid, more: { claims: ',"x":1,"x":2' } })),
  ofClaims('`sub` twice', (valid) => ({ ...valid, more: { claims: ',"sub":"admin","sub":"admin"' } })),
  ofClaims('`iss` twice, with one value', (valid) => {
    const { iss = '"x"', ...others } = valid.claims
    return { ...valid, claims: { iss, ...others }, more: { claims: `,"iss":${iss},"x":1` } }
  }),
  ofClaims('`exp` twice, by an escape', (valid, { now }) => ({
    ...valid,
    more: { claims: `,"\\u0065xp":${now + 9_999},"exp":${now + 9_998}` },
  })),
  ofClaims('no valid UTF-8', (valid) => ({ ...valid, more: { claims: ',"x":"?"' }, written: invalidText })),
  ofClaims('a byte order mark', (valid) => ({ ...valid, written: (bytes) => Buffer.from(`\ufeff${bytes}`) })),
  ofClaims('a comma at the end', (valid) => ({ ...valid, more: { claims: ',' } })),
  ofClaims('text behind the object', (valid) => ({ ...valid, written: (bytes) => Buffer.from(`${bytes} {}`) })),
  ofClaims('a list', (valid) => ({ ...valid, written: (bytes) => Buffer.from(`[${bytes}]`) })),
  ofClaims('nested 100 levels', (valid) => ({
    ...valid,
    more: { claims: `,"x":${'['.repeat(100)}${']'.repeat(100)}` },
  })),
]

function invalidText(bytes: Buffer): Buffer {
  bytes[bytes.lastIndexOf('?')] = 0xff
  return bytes
}

const NO_TIMES = [
  ['beyond every number', '1e999'],
  ['NaN', 'NaN'],
  ['negative', '-1'],
  ['a text', '"4102444800"'],
  ['a list', '[4102444800]'],
  ['`null`', 'null'],
  ['`true`', 'true'],
] as const

const TIMES: readonly Defect[] = [
  claim('exp', 'missing', null),
  claim('exp', 'an hour ago', later(-3_600)),
  ...NO_TIMES.map(([title, value]) => claim('exp', title, value)),
  claim('nbf', 'in an hour', later(3_600)),
  ...NO_TIMES.map(([title, value]) => claim('nbf', title, value)),
  claim('iat', 'missing', null),
  claim('iat', 'in an hour', later(3_600)),
  claim('iat', 'an hour ago', later(-3_600)),
  ...NO_TIMES.map(([title, value]) => claim('iat', title, value)),
]

const PARTIES: readonly Defect[] = [
  claim('iss', 'missing', null),
  claim('iss', 'another', '"https://other.example"'),
  claim(
    'iss',
    'with a slash at the end',
    text((value) => `${value}/`),
  ),
  claim(
    'iss',
    'in upper case',
    text((value) => value.toUpperCase()),
  ),
  claim(
    'iss',
    'with a letter that looks alike',
    text((value) => value.replace('t', '\u0442')),
  ),
  claim(
    'iss',
    'with a space at the end',
    text((value) => `${value} `),
  ),
  claim('iss', 'a list of the right one', (_, value) => `[${value}]`),
  claim('aud', 'missing', null),
  claim('aud', 'another', '"other"'),
  claim(
    'aud',
    'longer by a letter',
    text((value) => `${value}s`),
  ),
  claim(
    'aud',
    'in upper case',
    text((value) => value.toUpperCase()),
  ),
  claim('aud', 'a list in a list', (_, value) => `[[${value}]]`),
  claim('aud', 'an object', (_, value) => `{"0":${value}}`),
  claim('aud', 'a list of the right one', (_, value) => `[${value}]`),
  ofClaims('`aud`: two, `azp` of another client', (valid) => {
    const { aud = '"x"' } = valid.claims
    return { ...valid, claims: { ...valid.claims, aud: `[${aud},"other"]`, azp: '"other"' } }
  }),
  ofClaims('`aud`: two, `azp` a list', (valid) => {
    const { aud = '"x"' } = valid.claims
    return { ...valid, claims: { ...valid.claims, aud: `[${aud},"other"]`, azp: `[${aud}]` } }
  }),
  claim('sub', 'missing', null),
  claim('sub', 'another', '"admin"'),
  claim('sub', 'empty', '""'),
  claim('sub', 'a number', '7'),
  claim('sub', 'a list', '["ada"]'),
  claim('nonce', 'missing', null),
  claim('nonce', 'another', '"other"'),
  claim('nonce', 'a list of the right one', (_, value) => `[${value}]`),
  claim('jti', 'missing', null),
  claim('token_use', 'a list of the right one', '["access"]'),
  ofClaims('two uses that contradict each other', (valid) => ({
    ...valid,
    claims: { ...valid.claims, token_use: '"access"', typ: '"ID"' },
  })),
]

/** By what they concern. */
export const DEFECTS: readonly { readonly title: string; readonly defects: readonly Defect[] }[] = [
  { title: 'Signature', defects: SIGNATURE },
  { title: 'Header and form', defects: FORM },
  { title: 'JSON of the claims', defects: JSON_TEXT },
  { title: 'Times', defects: TIMES },
  { title: 'Issuer, audience, user and use', defects: PARTIES },
]
