import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextKey } from '#http'
import { LogEvent } from '#logging'
import { defineType, kind } from '#schema'
import { contextsPage } from '../scripts/reference/flow-page.ts'
import { referencePage } from '../scripts/reference/reference-page.ts'

const FilterKind = kind<object>('Filter')
const User = contextKey<object>('user')
const Failure = contextKey<object>('failure')
const broken = new LogEvent('GW_X_BROKEN', { message: 'broken', meaning: 'It broke | stopped.', action: 'Mend it.' })

const KeepFilter = defineType({
  name: 'KeepFilter',
  kind: FilterKind,
  summary: 'Keeps.',
  config: {},
  create: () => ({}),
})
const LoginFilter = defineType({
  name: 'LoginFilter',
  kind: FilterKind,
  summary: 'Logs in.',
  provides: [User],
  diverts: { failureHandler: [Failure] },
  after: ['KeepFilter'],
  metrics: ['gw_logins_total'],
  events: [broken],
  config: {},
  create: () => ({}),
})
const PolicyFilter = defineType({
  name: 'PolicyFilter',
  kind: FilterKind,
  summary: 'Asks.',
  needs: [{ context: User, field: 'subject', consequence: 'every request is refused' }],
  config: {},
  create: () => ({}),
})
const source = {
  definitions: [KeepFilter, LoginFilter, PolicyFilter],
  metrics: [{ name: 'gw_logins_total', type: 'counter', help: 'Logins.' }],
}

test('a page has the contexts, the order, the metrics and the log events of its type', () => {
  const page = referencePage(LoginFilter, 'Stands before a PolicyFilter, and another PolicyFilter.', source)
  for (const part of [
    '| `contexts.user` | Added to the requests that are passed on. |\n| `contexts.failure` | Added to the requests for `failureHandler`. |',
    'In a chain with [KeepFilter](keep-filter.md), it stands behind.',
    '| `gw_logins_total` | counter | Logins. |',
    '| `GW_X_BROKEN` | It broke \\| stopped. | Mend it. |',
    'before a [PolicyFilter](policy-filter.md), and another PolicyFilter.',
  ])
    assert.ok(page.includes(part), page)
  assert.match(referencePage(PolicyFilter, '', source), /Needed by `subject`; without it, every request is refused\./)
  assert.match(
    referencePage(KeepFilter, '', source),
    /In a chain with \[LoginFilter\]\(login-filter\.md\), it stands before/,
  )
})

test('a metric that nothing declares is refused', () => {
  assert.throws(
    () => referencePage(LoginFilter, '', { ...source, metrics: [] }),
    /LoginFilter names the metric gw_logins_total/,
  )
})

test('names of types in code, headings and links stay as they are', () => {
  const prose = [
    '## A LoginFilter',
    '```json\n{ "type": "LoginFilter" }\n```',
    '[a LoginFilter](x.md)',
    '`LoginFilter`',
  ].join('\n\n')
  const page = referencePage(KeepFilter, prose, source)
  assert.ok(page.includes('## A LoginFilter\n') && page.includes('[`LoginFilter`](login-filter.md)'), page)
  assert.ok(page.includes('{ "type": "LoginFilter" }') && page.includes('[a LoginFilter](x.md)'))
})

test('the page of contexts names the types that add each and that need it', () => {
  const page = contextsPage(source.definitions)
  assert.match(
    page,
    /\| `contexts\.user` \| \[LoginFilter\]\(login-filter\.md\) \| \[PolicyFilter\]\(policy-filter\.md\) \|/,
  )
  assert.match(page, /\| `contexts\.failure` \| \[LoginFilter\]\(login-filter\.md\), for `failureHandler` \| {2}\|/)
})
