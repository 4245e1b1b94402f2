// Snippets made from tables: operators over types, conversions, methods over values, arithmetic over random numbers. They
// are the same in every run.

/** The entries of a table, separated by semicolons. */
const listed = (table: string): readonly string[] => table.trim().split(/;\s+/)

/** Values of all types that operators take. */
const VALUES: readonly string[] = [
  '5',
  '-7',
  '0',
  '2147483647',
  '3L',
  '-9L',
  '12g',
  '2.5',
  '-0.75',
  '1.5d',
  '2.25f',
  "('a' as char)",
  "'ab'",
  "'7'",
  '"x${1}"',
  'true',
  'null',
  '[1, 2]',
  '[a: 1]',
]

const OPERATORS = listed(`
  +; -; *; /; %; **; <<; >>; >>>; &; |; ^; ==; !=; <; <=; >; >=; <=>; in; ?:`)

/** Preamble of these snippets: result of a closure with its class, or the class of its exception, as text. */
export const PREAMBLE = `def t(Closure c) {
  try { def z = c(); z == null ? 'null' : '' + z + ' ' + z.class.simpleName }
  catch (Throwable e) { e.class.simpleName - 'NoStack' }
}
`

function operators(): string[] {
  return OPERATORS.flatMap((operator) => {
    // Such a long text or large power would not be computed in time.
    const grows = operator === '*' || operator === '**' || operator === '<<'
    const left = grows ? VALUES.filter((value) => value !== '2147483647') : VALUES
    // The real one converts lists and maps to numbers by unusual constructors.
    const values = /^(?:\*|%|\*\*|<<|>>>?|[&|^])$/.test(operator)
      ? left.filter((value) => !value.startsWith('['))
      : left
    return values.map((first) => {
      // In the real one the overload for null is ambiguous for a map.
      const second = first.startsWith('[') ? values.filter((value) => value !== 'null') : values
      return `def a = ${first}; [${second.join(', ')}].collect { b -> t { (a ${operator} b) } }.join(' | ')`
    })
  })
}

function unary(): string[] {
  return ['-', '+', '~', '!'].map(
    (operator) => `[${VALUES.join(', ')}].collect { a -> t { (${operator}a) } }.join(' | ')`,
  )
}

const TYPES = listed(`
  int; Integer; long; Long; short; byte; char; Character; float; double; Double; BigInteger; BigDecimal; String;
  boolean; Boolean; Number; Object; List; Set; Map; CharSequence`)

function conversions(): string[] {
  return TYPES.flatMap((type) => {
    // JDK 17 prints this float with an additional digit.
    const values = type === 'float' ? VALUES.filter((value) => value !== '2147483647') : VALUES
    const all = values.join(', ')
    const fitting = values.filter((value) => !isOddCoercion(type, value)).join(', ')
    const boxed = type === type.toLowerCase() ? 'Number' : type
    return [
      `[${all}].collect { a -> t { ((${type}) a) } }.join(' | ')`,
      `[${fitting}].collect { a -> t { (a as ${type}) } }.join(' | ')`,
      `def f(${type} x) { x }; [${all}].collect { a -> t { f(a) } }.join(' | ')`,
      `[${all}].collect { a -> a instanceof ${boxed} }`,
    ]
  })
}

/** The real one creates interface proxies from any value. */
function isOddCoercion(type: string, value: string): boolean {
  return (
    ['List', 'Set', 'Map', 'CharSequence', 'Number'].includes(type) && (/^\[a/.test(value) || !isOfType(type, value))
  )
}

function isOfType(type: string, value: string): boolean {
  if (type === 'Number') return /^-?\d/.test(value)
  if (type === 'CharSequence') return /^['"]/.test(value)
  return type !== 'Map' && /^\[1/.test(value)
}

const TEXTS: readonly string[] = [`''`, `'a'`, `'Hello World'`, `'  x y  '`, `'a,b,,c'`, `'äöü€'`, `'12'`, `'x1y22z'`]
const TEXT_METHODS = listed(String.raw`
  size(); toUpperCase(); toLowerCase(); trim(); reverse(); capitalize(); uncapitalize(); isEmpty(); isBlank();
  toList(); indexOf('o'); lastIndexOf('l'); contains('l'); startsWith('H'); endsWith('d'); replace('l', 'LL');
  replaceAll(/[aeiou]/, '*'); replaceFirst(/\w/, '<$0>'); split(',').toList(); split(/\s+/).toList();
  split().toList(); split('').toList(); tokenize(' ,'); tokenize(); padLeft(8); padRight(8, '.'); center(9, '-');
  take(3); drop(3); takeRight(2); dropRight(2); getAt(0); getAt(-1); getAt(0..1); substring(1); substring(0, 2);
  charAt(1); hashCode(); isNumber(); isInteger(); toInteger(); toBigDecimal(); findAll(/\d/); find(/[a-z]\d/);
  matches(/\w+/); compareTo('Hello'); equalsIgnoreCase('HELLO WORLD'); multiply(2); plus('!'); minus('l'); next();
  bytes.length; inspect(); count('l'); readLines(); toSet().size(); collect { it }; concat('z'); repeat(2);
  tr('a-y', 'b-z'); expand(); stripIndent(); bytes.encodeBase64().toString(); bytes.encodeHex().toString();
  indexOf('l', 4); codePointAt(0); strip(); takeWhile { it != ' ' }; dropWhile { it != ' ' }; takeBefore(' ');
  takeAfter(' '); toBoolean()`)

function textMethods(): string[] {
  return TEXT_METHODS.map((method) => `[${TEXTS.join(', ')}].collect { s -> t { s.${method} } }.join(' | ')`)
}

const LISTS: readonly string[] = [
  '[]',
  '[1]',
  '[3, 1, 2]',
  '[1, 2, 2, 3, null]',
  `['b', 'a', 'c']`,
  '[[1, 2], [3]]',
  '[1.5, 2, 3L]',
  '(1..4)',
  '([2, 1] as Set)',
]
const LIST_METHODS = listed(`
  size(); isEmpty(); first(); last(); head(); tail(); init(); min(); max(); sum(); join("-"); toList(); toSet();
  unique(); reverse(); sort(); sort(false); flatten(); collect { "<$it>".toString() }; find { it }; findAll { it };
  any { it }; every { it }; groupBy { it.class.simpleName }; countBy { it != null }; inject { a, b -> b };
  inject("") { a, b -> a + b }; take(2); drop(1); takeRight(1); dropRight(1); getAt(0); getAt(-1); getAt(9);
  contains(1); indexOf(2); plus(9); plus([8, 9]); minus(1); minus([1, 2]); multiply(2); intersect([1, 2, 3]);
  disjoint([9]); collate(2); withIndex(); indexed(); combinations().size(); subsequences().size();
  permutations().size(); eachWithIndex { x, i -> }; collectEntries { [it, 1] }; collectMany { [it, it] };
  findIndexOf { it == 2 }; findResult { it }; count(2); count { it }; average(); grep(Number); split { it };
  takeWhile { it }; dropWhile { it }; toSorted(); toUnique(); transpose(); toString(); inspect(); class.simpleName;
  iterator().hasNext(); toArray().length; containsAll([1]); sum { it.hashCode() }; max { it.toString() };
  min { it.toString() }; collectNested { it }; findResults { it }; add(7); remove(0)`)

function listMethods(): string[] {
  return LIST_METHODS.map(
    (method) =>
      `[${LISTS.map((list) => `{ -> ${list} }`).join(', ')}].collect { make -> def l = make(); t { l.${method} } }.join(' | ')`,
  )
}

const MAPS: readonly string[] = [
  '[:]',
  '[a: 1]',
  '[b: 2, a: 1, c: null]',
  `[(1): 'x', (2.0): 'y']`,
  '[k: [1, 2], m: [n: 1]]',
]
const MAP_METHODS = listed(`
  size(); isEmpty(); keySet(); values(); entrySet(); get("a"); getOrDefault("z", 5); get("z", 5); containsKey("a");
  containsValue(1); collect { k, v -> "$k=$v".toString() }; find { k, v -> v }; findAll { k, v -> v };
  any { k, v -> v == null }; every { it.value }; collectEntries { k, v -> [v, k] };
  groupBy { it.value?.class?.simpleName }; sort(); sort { it.key.toString() }; max { it.key.toString() };
  inject(0) { s, k, v -> s + 1 }; plus([z: 26]); minus([a: 1]); subMap(["a", "k"]); take(1); drop(1);
  count { it.value }; toString(); inspect(); hashCode(); put("a", 9); remove("a"); putIfAbsent("q", 1);
  computeIfAbsent("q") { 7 }; merge("a", 5) { x, y -> x + y }; a; k?.size(); eachWithIndex { e, i -> };
  findResult { it.value }; collectMany { k, v -> [k] }; withDefault { 3 }.zz; asImmutable(); with { size() };
  countBy { it.value == null }; keySet().toList().size(); values().toList(); entrySet().collect { it.key };
  intersect([a: 1])`)

function mapMethods(): string[] {
  return MAP_METHODS.map(
    (method) =>
      `[${MAPS.map((map) => `{ -> ${map} }`).join(', ')}].collect { make -> def m = make(); t { m.${method} } }.join(' | ')`,
  )
}

/** Pseudo-random numbers, equal in every run. */
function* random(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    yield state
  }
}

function decimals(): string[] {
  const numbers = random(42)
  const digits = (): string => {
    const [whole, scale] = [numbers.next().value, numbers.next().value % 6]
    const text = String(whole % 10 ** (1 + (numbers.next().value % 8))).padStart(scale + 1, '0')
    const signed = numbers.next().value % 3 === 0 ? '-' : ''
    return scale === 0 ? `${signed}${text}.0` : `${signed}${text.slice(0, -scale)}.${text.slice(-scale)}`
  }
  return Array.from({ length: 60 }, () => {
    const [a, b] = [digits(), digits()]
    const parts = ['+', '-', '*', '/', '%', '<=>', '=='].map((operator) => `t { ${a} ${operator} (${b}) }`)
    return `[${parts.join(', ')}].join(' | ')`
  })
}

function doubles(): string[] {
  const numbers = random(7)
  return Array.from({ length: 30 }, () => {
    const values = Array.from({ length: 8 }, () => {
      const mantissa = numbers.next().value % 100_000
      const exponent = (numbers.next().value % 40) - 20
      return `${mantissa / 1000}e${exponent}d`
    })
    return `[${values.join(', ')}].collect { it + ' ' + (it * 3) + ' ' + (it / 7) + ' ' + it.round(2) }.join(' | ')`
  }).filter((snippet) => !snippet.includes('e-'))
}

function wholeNumbers(): string[] {
  const numbers = random(99)
  const pick = (): string => {
    const value = numbers.next().value
    const suffix = ['', 'L', 'g'][numbers.next().value % 3]
    return numbers.next().value % 2 === 0 ? `${value}${suffix}` : `-${value % 1000}${suffix}`
  }
  return Array.from({ length: 60 }, () => {
    const [a, b] = [pick(), pick()]
    const parts = ['+', '-', '*', '/', '%', '&', '|', '^', '<=>'].map((operator) => `t { ${a} ${operator} (${b}) }`)
    return `[${parts.join(', ')}, t { (${a}).intdiv(${b}) }].join(' | ')`
  })
}

export function generatedTopics(): Map<string, readonly string[]> {
  return new Map([
    ['generated-operators', operators()],
    ['generated-unary', unary()],
    ['generated-conversions', conversions()],
    ['generated-texts', textMethods()],
    ['generated-lists', listMethods()],
    ['generated-maps', mapMethods()],
    ['generated-decimals', decimals()],
    ['generated-doubles', doubles()],
    ['generated-whole-numbers', wholeNumbers()],
  ])
}
