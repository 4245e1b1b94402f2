// The alert rules and the dashboard of deploy/: valid for Prometheus, over metrics that exist, and alerts fire when they should.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { promtool, promtoolMissing } from '#test/promtool'
import { declaredMetrics } from '../../scripts/metrics-page.ts'

const root = join(import.meta.dirname, '../..')
const rulesFile = join(root, 'deploy/prometheus/identity-gateway-rules.yml')
const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/identity-gateway.json'), 'utf8')) as Dashboard

interface DataSource {
  readonly type: string
  readonly uid: string
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
    readonly type: string
    readonly datasource: DataSource
    readonly fieldConfig: { readonly defaults: { readonly unit: string }; readonly overrides: readonly unknown[] }
    readonly targets: readonly { readonly refId: string; readonly expr: string }[]
  }[]
  readonly schemaVersion: number
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string; readonly datasource?: DataSource }[]
  }
  readonly annotations: { readonly list: readonly { readonly target: { readonly expr: string } }[] }
}

const expressions = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ target }) => target.expr),
]

const ENDINGS = /_(?:bucket|count|sum)$/

function unknownMetrics(text: string): string[] {
  const known = new Set(declaredMetrics().map(({ name }) => name))
  const named = new Set(text.match(/\b(?:gw|process|http_server)_[a-z0-9_]+/g))
  return [...named].filter((name) => !known.has(name) && !known.has(name.replace(ENDINGS, '')))
}

test('promtool accepts the alert rules, and every alert has a severity, a summary and a description', {
  skip: promtoolMissing,
}, () => {
  const { status, output } = promtool(['check', 'rules', rulesFile])
  assert.equal(status, 0, output)
  const alerts = readFileSync(rulesFile, 'utf8').split('- alert: ').slice(1)
  assert.ok(alerts.length > 10)
  for (const alert of alerts)
    for (const part of ['severity:', 'summary:', 'description:']) assert.ok(alert.includes(part), alert)
})

test('promtool accepts every expression of the dashboard', { skip: promtoolMissing }, () => {
  using folder = new Folder()
  const rules = expressions.map((expr, at) => ({
    record: `dashboard:expression_${at}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:instance|route)\b/g, '.*'),
  }))
  const path = join(folder.path, 'dashboard.json')
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  const { status, output } = promtool(['check', 'rules', path])
  assert.equal(status, 0, output)
  assert.match(output, new RegExp(`SUCCESS: ${expressions.length} rules found`))
})

test('every metric of rules and dashboard exists in the gateway', () => {
  assert.deepEqual(unknownMetrics(readFileSync(rulesFile, 'utf8')), [])
  assert.deepEqual(unknownMetrics(JSON.stringify(dashboard)), [])
})

/** Checked by hand with the types of npm @grafana/schema 13.2.3, which are no JSON Schema. */
test('the dashboard has panels, units and variables that Grafana knows', () => {
  assert.equal(dashboard.schemaVersion, 39)
  const variables = new Set(dashboard.templating.list.map(({ name }) => name))
  const used = JSON.stringify(dashboard).matchAll(/\$\{?(?!__)(\w+)/g)
  for (const [, name = ''] of used) assert.ok(variables.has(name), `$${name} is no variable of the dashboard`)
  const units = ['bytes', 'percentunit', 'reqps', 's', 'short']
  for (const { title, type, datasource, fieldConfig, targets } of dashboard.panels) {
    assert.ok(['stat', 'timeseries'].includes(type), `${title}: ${type}`)
    assert.deepEqual(datasource, { type: 'prometheus', uid: '${datasource}' }, title)
    assert.ok(units.includes(fieldConfig.defaults.unit), `${title}: ${fieldConfig.defaults.unit}`)
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
  }
})

test('panels of the dashboard have an id each, and do not overlap', () => {
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  const cells = new Set<string>()
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!cells.has(`${x},${y}`), `${title} overlaps another panel`)
        cells.add(`${x},${y}`)
      }
    }
  }
})

test('alerts fire for errors, missing units, expiring certificates and lost audit events, and not without', {
  skip: promtoolMissing,
}, () => {
  using folder = new Folder()
  const series = (name: string, values: string) => ({ series: name, values })
  const requests = (status: string) =>
    `http_server_request_duration_seconds_count{instance="a",http_route="shop",http_response_status_code="${status}"}`
  const input = [
    series(requests('200'), '0+60x120'),
    series(requests('503'), '0+20x120'),
    series('gw_units_ready{instance="a"}', '1x120'),
    series('gw_units_configured{instance="a"}', '2x120'),
    series('gw_tls_certificate_not_after_seconds{instance="a",certificate="web"}', '86400x120'),
    series('gw_secret_not_after_seconds{instance="a",secret="s"}', '8640000x120'),
    series('gw_audit_lost_total{instance="a",handler="jms",reason="full"}', '0+1x120'),
    series('gw_circuit_breaker_open{instance="a",name="x"}', '0x120'),
  ]
  const tests = [
    {
      interval: '1m',
      input_series: input,
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '2h',
          exp_samples: ['AuditLost', 'CertificateExpires', 'Errors', 'UnitsMissing'].map((name) => ({
            labels: `{alertname="Gateway${name}"}`,
            value: 1,
          })),
        },
      ],
    },
  ]
  const path = join(folder.path, 'alerts.json')
  writeFileSync(path, JSON.stringify({ rule_files: [rulesFile], tests }))
  const { status, output } = promtool(['test', 'rules', path])
  assert.equal(status, 0, output)
})

/** A failure that lasts for half an hour, after half an hour without: what the metrics show, and the alert. */
const OUTAGES = {
  AuditFails: ['gw_audit_failures_total{instance="a",handler="json"}', '0x30 0+3x30 90x30'],
  CertificateStale: ['gw_tls_certificate_stale{instance="a",certificate="keyManager"}', '0x30 1x30 0x30'],
  CircuitOpen: ['gw_circuit_breaker_open{instance="a",name="x"}', '0x30 1x30 0x30'],
  LogLost: ['gw_log_lines_lost_total{instance="a",thread="unit-0"}', '0x30 0+3x30 90x30'],
  NotificationsDisconnected: ['gw_notification_connected{instance="a",name="am"}', '2x30 0x30 2x30'],
  RedisUnavailable: ['gw_redis_unavailable{instance="a",name="Counts"}', '0x30 1x30 0x30'],
  RouteNotLoaded: ['gw_router_failed_routes{instance="a",router="r"}', '0x30 1x30 0x30'],
  RoutesGone: ['gw_router_deployed_routes{instance="a",router="r"}', '11x30 0x30 11x30'],
  StoreUnavailable: ['gw_store_connected{instance="a"}', '1x30 0x30 1x30'],
} as const

test('each alert fires for its outage alone, and ends with it', { skip: promtoolMissing }, () => {
  using folder = new Folder()
  const firing = 'count by (alertname) (ALERTS{alertstate="firing"})'
  const tests = Object.entries(OUTAGES).map(([alert, [series, values]]) => ({
    interval: '1m',
    input_series: [{ series, values }],
    promql_expr_test: [
      { expr: firing, eval_time: '29m', exp_samples: [] },
      { expr: firing, eval_time: '55m', exp_samples: [{ labels: `{alertname="Gateway${alert}"}`, value: 1 }] },
      { expr: firing, eval_time: '90m', exp_samples: [] },
    ],
  }))
  const path = join(folder.path, 'outages.json')
  writeFileSync(path, JSON.stringify({ rule_files: [rulesFile], tests }))
  const { status, output } = promtool(['test', 'rules', path])
  assert.equal(status, 0, output)
})

test('the guide has every alert', () => {
  const guide = readFileSync(join(root, 'docs/guide/observability.md'), 'utf8')
  const alerts = readFileSync(rulesFile, 'utf8').matchAll(/- alert: (\w+)/g)
  assert.deepEqual(
    [...alerts].map(([, name]) => name).filter((name) => !guide.includes(`\`${name}\``)),
    [],
  )
})
