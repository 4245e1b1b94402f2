import { shownPath } from '../problems.ts'
import { aligned, type Paint, printable } from '../terminal.ts'
import type { Explanation, RouterConditionResult } from './explanation.ts'
import type { ExplainedStep } from './request-target.ts'

/** An explanation as text. */
export function explanationText(explanation: Explanation, paint: Paint): string {
  const { request, refused, tried, route, file, decorations, chain, notes } = explanation
  const heading = paint('bold', `${request.method} ${request.uri ?? request.received}`)
  if (refused !== null) {
    return `${heading}\n  ${paint('red', `the listener answers ${refused.status}`)}: ${refused.reason}\n`
  }
  const lines = [heading, ...normalisation(request)]
  lines.push('', paint('bold', 'Routes tried:'), ...(tried.length > 0 ? trialLines(tried, paint) : ['  none']))
  const taker = route === null ? 'none' : `${route}${file === null ? '' : ` (${shownPath(file)})`}`
  lines.push('', `${paint('bold', 'Route:')} ${paint(route === null ? 'yellow' : 'green', taker)}`)
  for (const [name, value] of Object.entries(decorations)) lines.push(`  with ${name}: ${JSON.stringify(value)}`)
  lines.push('', paint('bold', 'Chain:'), ...aligned(chain.map(stepCells)))
  lines.push(...notes.map((note) => `\nnote: ${note}`))
  return `${lines.join('\n')}\n`
}

function normalisation({ received, uri }: Explanation['request']): string[] {
  const path = received.replace(/\?.*$/s, '')
  const normal = uri === null ? path : (/^\w+:\/\/[^/]*([^?]*)/.exec(uri)?.[1] ?? path)
  return normal === path ? [] : [`  the path ${path} is read as ${normal}`]
}

function trialLines(tried: readonly RouterConditionResult[], paint: Paint): string[] {
  const nested = new Set(tried.map(({ router }) => router)).size > 1
  const rows = tried.map(({ router, name, condition, value, failure }) => [
    `  ${nested ? `${router}: ` : ''}${name}`,
    failure === undefined ? String(value) : `failed: ${failure}`,
    condition,
  ])
  return aligned(rows).flatMap((row, at) => [row, ...partLines(tried[at]?.parts ?? [], paint)])
}

/** The value of each operand of a condition. */
function partLines(parts: NonNullable<RouterConditionResult['parts']>, paint: Paint): string[] {
  const rows = parts.map(({ text, depth, value, failure, isSkipped }) => {
    const result = failure === undefined ? `= ${value}` : `failed: ${failure}`
    return [
      `      ${'  '.repeat(depth)}${printable(text)}`,
      `${printable(result)}${isSkipped ? ' (not evaluated)' : ''}`,
    ]
  })
  return aligned(rows).map((line) => paint('dim', line))
}

function stepCells({ name, type, depth, field, condition, decorators, target }: ExplainedStep): string[] {
  const indent = '  '.repeat(depth + 1)
  const remarks = [
    name === null || type === null || name === type ? '' : `named ${name}`,
    type === null ? 'not declared' : '',
    field === undefined ? '' : `at ${field}`,
    condition === undefined ? '' : `if ${condition}`,
    decorators.length === 0 ? '' : `with ${decorators.join(', ')}`,
    target === undefined ? '' : targetText(target),
  ]
  return [`${indent}${type ?? name}`, remarks.filter((remark) => remark !== '').join(', ')]
}

function targetText({ uri, baseURI, mayBeSetBy }: NonNullable<ExplainedStep['target']>): string {
  const to = printable(uri ?? `${baseURI} (known when it runs)`)
  const reason = baseURI === null ? ' (its Host, since no baseURI is set)' : ''
  const others = mayBeSetBy.length === 0 ? '' : `, unless ${mayBeSetBy.join(' or ')} sets another`
  return `to ${to}${reason}${others}`
}
