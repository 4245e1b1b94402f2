import type { JsonObject } from '#json'

const number = (description: string): JsonObject => ({ type: 'number', description })
const duration = (description: string): JsonObject => number(`${description}, in milliseconds, of the last minutes.`)
const rate = (description: string): JsonObject => number(`Observations for each second${description}.`)

/** JSON Schema of a resource of the metrics collection. */
export const metricSchema: JsonObject = {
  type: 'object',
  required: ['_id', '_type'],
  properties: {
    _id: { type: 'string', description: '`heap.<router-name>.route.<route-name>.<metric>`.' },
    _type: { enum: ['counter', 'gauge', 'timer'], description: 'Determines the other fields.' },
    value: number('Value of a gauge.'),
    count: { type: 'integer', description: 'The value of a counter, or the number of observations of a timer.' },
    total: number('Sum of all observations of a timer, in milliseconds.'),
    max: duration('Longest duration'),
    mean: duration('Mean duration'),
    min: duration('Shortest duration'),
    stddev: duration('Standard deviation'),
    p50: duration('Median'),
    p75: duration('75th percentile'),
    p95: duration('95th percentile'),
    p98: duration('98th percentile'),
    p99: duration('99th percentile'),
    p999: duration('99.9th percentile'),
    m1_rate: rate(', an average of about a minute'),
    m5_rate: rate(', an average of about five minutes'),
    m15_rate: rate(', an average of about fifteen minutes'),
    mean_rate: rate(' since the timer began'),
    duration_units: { const: 'milliseconds' },
    rate_units: { const: 'calls/second' },
  },
}
