// The largest values that a Groovy script can have, for calls of every method of the library.

import {
  BigDecimal,
  BigIntegerValue,
  ByteArray,
  ByteValue,
  CharValue,
  classes,
  DoubleValue,
  FloatValue,
  GStringValue,
  HashMapValue,
  HashSetValue,
  ListValue,
  ObjectArray,
  ShortValue,
  type Value,
} from '../index.ts'
import { runGroovy } from './run-groovy.ts'

/** Sizes of values: of a text, of a collection, and of an integer in bits. */
export interface LargestSizes {
  readonly characters: number
  readonly elements: number
  readonly bits: number
}

/** Creates a value, a new one for each call, since methods change some. */
export type Sample = () => Value

/** Texts on which simple algorithms take long. */
function texts(length: number): readonly string[] {
  const repeated = (part: string): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)
  const half = length >> 1
  return [
    repeated('a'),
    repeated('a').slice(0, half),
    `${repeated('a').slice(0, half - 1)}b`,
    `b${repeated('a').slice(0, half - 1)}`,
    repeated('ab'),
    repeated('\\"'),
    repeated('"'),
    repeated('\n'),
    repeated(' '),
    `${repeated(' ').slice(1)}x`,
    repeated('9'),
    repeated('9').slice(0, 50_000),
    repeated('%s'),
    repeated('%20'),
    repeated('ß'),
    repeated('\u{1f600}'),
    repeated('a,b;c='),
    repeated('$1'),
    repeated('A').slice(0, length & ~3),
    `[${repeated('0,').slice(0, half & ~1)}0]`,
    repeated('{"a":'),
    `<a>${repeated('<b/>').slice(0, half & ~3)}</a>`,
    repeated('/a/..'),
    repeated('a.'),
    'a',
    '',
    'UTF-8',
    '(a+)+$',
    '.*.*x',
    '2026-01-01T00:00:00Z',
    'yyyy-MM-dd',
    'SHA-256',
  ]
}

function numbers(bits: number): readonly Sample[] {
  const large = 2n ** BigInt(bits - 64)
  const digits = Math.floor(bits / 3.4)
  return [
    () => 0,
    () => 1,
    () => -1,
    () => 36,
    () => 1_000,
    () => 2_147_483_647,
    () => -2_147_483_648,
    () => 9_223_372_036_854_775_807n,
    () => new DoubleValue(0.1),
    () => new DoubleValue(1e300),
    () => new DoubleValue(Number.NaN),
    () => CharValue.of(97),
    () => ByteValue.of(-1),
    () => new ShortValue(-1),
    () => new FloatValue(0.1),
    () => new BigIntegerValue(large),
    () => new BigIntegerValue(large - 1n),
    () => new BigIntegerValue(-(large / 3n)),
    () => new BigIntegerValue(10n ** BigInt(digits)),
    () => new BigDecimal(10n ** BigInt(digits), 3),
    () => new BigDecimal(10n ** BigInt(digits) - 1n, digits),
    () => new BigDecimal(large / 7n, -5),
    () => new BigDecimal(1n, 1_000_000_000),
    () => new BigDecimal(1n, -1_000_000_000),
  ]
}

function collections(elements: number, text: string): readonly Sample[] {
  const items = (make: (index: number) => Value, size = elements): Value[] =>
    Array.from({ length: size }, (_, at) => make(at))
  const nested = (): Value => {
    let list = new ListValue([1])
    for (let level = 0; level < 40; level++) list = new ListValue([list, list])
    return list
  }
  const gstring = (): Value => {
    let made: Value = ''
    for (let level = 0; level < 40; level++) made = new GStringValue(['', '', ''], [made, made])
    return made
  }
  return [
    () => new ListValue(items((at) => at)),
    () => new ListValue(items((at) => elements - at)),
    () => new ListValue(items((at) => `k${at}`)),
    () => new ListValue(items(() => text)),
    () => new ListValue(items((at) => (at % 2 === 0 ? at : `${at}`))),
    () => new ListValue(items((at) => new DoubleValue(at))),
    () => new ListValue(items((at) => new ListValue([at, 1]), elements >> 2)),
    () => new ListValue(items(() => null)),
    () => new ListValue(items((at) => at, 9)),
    () =>
      new ListValue(
        items((at) => at),
        classes.LinkedListClass,
      ),
    () =>
      new ListValue(
        items((at) => at),
        classes.ArrayDequeClass,
      ),
    nested,
    gstring,
    () => new ListValue([gstring(), gstring()]),
    () => HashMapValue.of([['k', nested()]]),
    () => HashSetValue.of(items((at) => `k${at}`)),
    () =>
      HashSetValue.of(
        items((at) => at, elements >> 4),
        classes.HashSetClass,
      ),
    () => HashMapValue.of(items((at) => at).map((each) => [`k${each}`, each])),
    () => HashMapValue.of(items((at) => at, elements >> 4).map((each) => [each, text])),
    () =>
      new ObjectArray(
        classes.StringClass,
        items((at) => `k${at}`),
      ),
    () =>
      new ObjectArray(
        classes.ObjectClass,
        items((at) => at),
      ),
    () =>
      new ObjectArray(
        classes.primitives.char,
        items((at) => CharValue.of(at)),
      ),
    () =>
      new ObjectArray(
        classes.primitives.int,
        items((at) => at),
      ),
    () => new ByteArray(new Uint8Array(elements).fill(255)),
    () => new ByteArray(new Uint8Array(16)),
  ]
}

/** Values of other classes, by expressions with the variables `text`, `short`, `list`, `map`, `xml` and `bytes`. */
const EXPRESSIONS: readonly string[] = [
  '"${text}${list}"',
  'new StringBuilder(text)',
  'new StringBuffer(text)',
  '1..2000000000',
  "'a'..'zzz'",
  '1.5..100000.5',
  'list.iterator()',
  'list.stream()',
  'map.entrySet()',
  'map.keySet()',
  'map.values()',
  'map.entrySet().first()',
  'new TreeMap(list.take(2000).collectEntries { [it, it] })',
  'new TreeSet(list.take(2000))',
  '[:].withDefault { it }',
  '~/a|b/',
  'short =~ /a|b/',
  '(short =~ /(a)|b/).with { it.find(); it }',
  '{ it -> it }',
  '{ a, b -> 0 }',
  '{ -> true }',
  'Optional.of(text)',
  'Optional.empty()',
  'new Exception(text)',
  'new MissingPropertyException(text)',
  'try { text.nope(list) } catch (MissingMethodException e) { e }',
  'Locale.US',
  'java.math.RoundingMode.UP',
  'new java.math.MathContext(50000)',
  'java.nio.charset.StandardCharsets.UTF_8',
  'java.time.Duration.ofSeconds(5)',
  'java.time.temporal.ChronoUnit.DAYS',
  'java.util.concurrent.TimeUnit.DAYS',
  'java.time.Instant.now()',
  'java.time.Clock.systemUTC()',
  "java.time.ZoneId.of('Europe/Berlin')",
  'java.time.ZoneOffset.UTC',
  "TimeZone.getTimeZone('Europe/Berlin')",
  'new Date()',
  "new java.text.SimpleDateFormat('yyyy-MM-dd')",
  'java.time.LocalTime.now()',
  'java.time.DayOfWeek.MONDAY',
  'java.time.Month.MAY',
  'java.time.LocalDate.now()',
  'java.time.LocalDateTime.now()',
  'java.time.ZonedDateTime.now()',
  'java.time.OffsetDateTime.now()',
  'java.time.format.DateTimeFormatter.ISO_LOCAL_DATE',
  'Base64.encoder',
  'Base64.decoder',
  "java.security.MessageDigest.getInstance('SHA-256')",
  "javax.crypto.Mac.getInstance('HmacSHA256')",
  "new javax.crypto.spec.SecretKeySpec(new byte[16], 'AES')",
  "java.security.KeyFactory.getInstance('RSA')",
  "java.security.cert.CertificateFactory.getInstance('X.509')",
  "java.security.Signature.getInstance('SHA256withRSA')",
  'new javax.crypto.spec.IvParameterSpec(new byte[16])',
  'new javax.crypto.spec.GCMParameterSpec(128, new byte[12])',
  'java.security.spec.MGF1ParameterSpec.SHA256',
  "javax.crypto.Cipher.getInstance('AES/CBC/PKCS5Padding')",
  "javax.crypto.Cipher.getInstance('AES/CBC/PKCS5Padding').with { init(1, new javax.crypto.spec.SecretKeySpec(new byte[16], 'AES'), new javax.crypto.spec.IvParameterSpec(new byte[16])); it }",
  'new Random()',
  'new java.security.SecureRandom()',
  'UUID.randomUUID()',
  "new URI('http://a/' + 'b/../'.multiply(text.size() >> 3))",
  "new URL('http://a/' + 'b'.multiply(text.size() >> 3))",
  'new groovy.json.JsonSlurper()',
  'new groovy.json.JsonSlurperClassic()',
  'new groovy.json.JsonBuilder(map)',
  'new groovy.json.JsonBuilder(list)',
  'new groovy.xml.XmlSlurper()',
  'new groovy.util.XmlSlurper()',
  'new groovy.xml.XmlSlurper().parseText(xml)',
  "new groovy.xml.XmlSlurper().parseText(xml).'*'",
  'new java.util.concurrent.atomic.AtomicInteger(5)',
  'new java.util.concurrent.atomic.AtomicLong(5)',
  'new java.util.concurrent.atomic.AtomicReference(text)',
  'new java.util.concurrent.atomic.AtomicBoolean(true)',
  'new ByteArrayInputStream(bytes)',
  'new StringReader(text)',
  'new ByteArrayOutputStream().with { write(bytes); it }',
  'new DataOutputStream(new ByteArrayOutputStream())',
  'new StringWriter().with { write(text); it }',
  'new PrintWriter(new StringWriter())',
  'System.out',
  'new Binding()',
  'this',
  'String',
  'Integer',
  'List',
  'java.util.stream.Collectors.toList()',
  'Comparator.naturalOrder()',
  'java.util.function.Function.identity()',
  '{ it -> true } as java.util.function.Predicate',
  '{ it -> it } as java.util.function.Function',
  '{ a, b -> a } as java.util.function.BiFunction',
  '{ a -> a } as java.util.function.Consumer',
]

const UNLIMITED = { timeout: 600_000, maxAllocation: Number.POSITIVE_INFINITY, maxStringLength: 2 ** 29 }

/** Samples of all classes that the library can create. */
export function librarySamples({ characters, elements, bits }: LargestSizes): readonly Sample[] {
  const all = texts(characters)
  return [
    ...all.map((text) => () => text),
    ...numbers(bits),
    () => true,
    () => null,
    ...collections(elements, all[0] as string),
  ]
}

/** As `librarySamples`, of classes whose values scripts create by expressions. */
export async function createdSamples(sizes: LargestSizes): Promise<ReadonlyMap<string, () => Promise<Value>>> {
  const [text = ''] = texts(sizes.characters)
  const list = (): Value => new ListValue(Array.from({ length: sizes.elements }, (_, at) => at))
  const made: Readonly<Record<string, Sample>> = {
    text: () => text,
    // Matchers are refused for longer ones.
    short: () => text.slice(0, 250_000),
    xml: () => `<a>${'<b c="d">e</b>'.repeat(sizes.characters >> 5)}</a>`,
    list,
    map: () => HashMapValue.of(Array.from({ length: sizes.elements >> 2 }, (_, at) => [`k${at}`, at] as const)),
    bytes: () => new ByteArray(new Uint8Array(sizes.elements)),
  }
  const variablesOf = (expression: string): Record<string, Value> =>
    Object.fromEntries(
      Object.entries(made)
        .filter(([name]) => expression.includes(name))
        .map(([name, make]) => [name, make()]),
    )
  return new Map(
    EXPRESSIONS.map((expression) => [
      expression,
      async () => (await runGroovy(expression, { variables: variablesOf(expression), limits: UNLIMITED })).value,
    ]),
  )
}
