/** Names of files, without extension, that other systems or readers take for another one. */
export const HOSTILE_NAMES: readonly string[] = [
  'CON',
  'nul',
  'com1.x',
  'a\\b',
  'a\nb',
  'a\tb',
  'a\x7fb',
  'a\u0085b',
  'a\u00adb',
  'a\u2028b',
  'a\u202etxt',
  'a\u200bb',
  'a\u3164b',
  'a\ufeffb',
  'a\ufffdb',
  'a\u{e0041}b',
  'a.d /b',
  'a.d./b',
]

/** Names that are unusual, and what they look like. */
export const UNUSUAL_NAMES: readonly string[] = [
  'a b',
  ' a',
  'conx',
  'a.con',
  '\u4e2d\u6587',
  '\u0627',
  'caf\u00e9',
  '\u{1f600}\ufe0f',
  'x~1',
  '-a',
]
