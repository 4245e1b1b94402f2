/** System properties by name. */
export type SystemProperties = Readonly<Record<string, string>>

/** Variables with options of a JVM: those of Java, of OpenIG in Tomcat and of PingGateway. Later ones override earlier ones, as there. */
const OPTIONS = ['JAVA_OPTS', 'CATALINA_OPTS', 'IG_OPTS']

/** The system properties of the process: `-D` overrides the variables. */
export function startProperties(
  definitions: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SystemProperties {
  const options = OPTIONS.flatMap((name) => words(env[name] ?? ''))
  const given = options.flatMap((word) => (/^-D./s.test(word) ? [word.slice(2)] : []))
  return Object.fromEntries([...given, ...definitions].map(definition))
}

/** `name=value`; without a value it is empty, as in Java. */
function definition(text: string): readonly [name: string, value: string] {
  const end = text.indexOf('=')
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)]
}

/** Text in double quotes, in single quotes, after a backslash, or unquoted. */
const PART = /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(.)|([^\s"'\\]+)/sy

/** Splits a text as a shell does: at white space outside of quotes and escapes. */
function words(text: string): string[] {
  const found: string[] = []
  let word: string | null = null
  let at = 0
  while (at < text.length) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (part === null) {
      if (word !== null) found.push(word)
      word = null
      at += 1
      continue
    }
    const [whole, double, single, escaped, bare] = part
    word = (word ?? '') + (double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? bare ?? '')
    at += whole.length
  }
  if (word !== null) found.push(word)
  return found
}
