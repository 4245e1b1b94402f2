import type { syntax } from '@identity-gateway/groovy'

/** State of the translation of a script. */
export class Migration {
  /** Methods of the script, which are asynchronous functions. */
  readonly methods: ReadonlySet<string>
  /** Translates a block; `returns`: whether its last expression is returned. */
  readonly block: (block: syntax.BlockNode, migration: Migration, returns: boolean) => string
  readonly #remarks: string[] = []

  constructor(methods: Iterable<string>, block: Migration['block']) {
    this.methods = new Set(methods)
    this.block = block
  }

  /** Adds a remark for manual review; it is written before the statement. */
  remark({ line, column }: syntax.Position, message: string): void {
    const text = `// LOOK ${line}:${column}: ${message}`
    if (!this.#remarks.includes(text)) this.#remarks.push(text)
  }

  /** The remarks since the last call. */
  takeRemarks(): string[] {
    return this.#remarks.splice(0)
  }
}

/** Property access with a dot, or with brackets where necessary. */
export function member(target: string, name: string, safe = false): string {
  const dot = safe ? '?.' : '.'
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return `${target}${dot}${name}`
  return `${target}${safe ? '?.' : ''}[${quoted(name)}]`
}

export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}

/** An arrow function, asynchronous if its body contains `await`. */
export function functionText(parameters: string, body: string): string {
  return `${/\bawait\b/.test(body) ? 'async ' : ''}(${parameters}) => ${body}`
}
