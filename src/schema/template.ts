import type { Exchange, Response } from '#http'
import { appendPointer, isPlainObject, setOwn } from '#json'
import { compiled, constant } from './compiled.ts'
import { Deferred, type SettleContext } from './deferred.ts'
import { type Field, field, type Report } from './field.ts'
import { RuntimeExpression } from './runtime-expression.ts'

/** JSON in which every string may be an expression; evaluated for a request to JSON with their values. */
export function template(): Field<Deferred<(exchange: Exchange, response?: Response | null) => Promise<unknown>>> {
  return field({ label: 'JSON with expressions', schema: () => ({}) }, (value, report) => {
    const node = templateNode(value, report, [])
    return node === null ? undefined : new Template(node)
  }) as Field<Deferred<(exchange: Exchange, response?: Response | null) => Promise<unknown>>>
}

type TemplateNode = RuntimeExpression | TemplateNode[] | { readonly entries: Map<string, TemplateNode> }
type Ask = (exchange: Exchange, response: Response | null) => unknown

function templateNode(value: unknown, report: Report, path: readonly (string | number)[]): TemplateNode {
  if (Array.isArray(value)) return value.map((item, at) => templateNode(item, report, [...path, at]))
  if (isPlainObject(value)) {
    return {
      entries: new Map(Object.keys(value).map((key) => [key, templateNode(value[key], report, [...path, key])])),
    }
  }
  const expression = typeof value === 'string' ? compiled(value, (message) => report(message, path)) : constant(value)
  return new RuntimeExpression(expression ?? constant(null), 'any')
}

class Template extends Deferred<Ask> {
  readonly #node: TemplateNode

  constructor(node: TemplateNode) {
    super()
    this.#node = node
  }

  settle(
    context: SettleContext,
    pointer: string,
  ): (exchange: Exchange, response?: Response | null) => Promise<unknown> {
    const ask = boundTemplate(this.#node, context, pointer)
    return async (exchange, response = null) => ask(exchange, response)
  }
}

function boundTemplate(node: TemplateNode, context: SettleContext, pointer: string): Ask {
  if (node instanceof RuntimeExpression) return node.settle(context, pointer)
  if (Array.isArray(node)) {
    const items = node.map((item, at) => boundTemplate(item, context, appendPointer(pointer, at)))
    // In order: with several pending promises, a rejection of the second would be unhandled.
    return async (exchange, response) => {
      const values: unknown[] = []
      for (const item of items) values.push(await item(exchange, response))
      return values
    }
  }
  const entries = [...node.entries].map(
    ([key, inner]) => [key, boundTemplate(inner, context, appendPointer(pointer, key))] as const,
  )
  return async (exchange, response) => {
    const result: Record<string, unknown> = {}
    for (const [key, ask] of entries) setOwn(result, key, await ask(exchange, response))
    return result
  }
}
