import { config, duration, integer, object } from '#schema'
import { statusesField } from './status-ranges.ts'

/** The field `outlierDetection`. */
export const OUTLIER_FIELD = object({
  consecutiveFailures: config(integer({ min: 1, max: 1_000_000 }))
    .default(5)
    .meta({ description: 'Failures in a row, over all units, that eject a server.' }),
  statuses: statusesField('Statuses of responses that count as failures, beside requests without a response.', [
    '502-504',
  ]),
  interval: config(duration({ zero: false, unlimited: false }))
    .default('10 seconds')
    .meta({ description: 'Time without ejection after which an earlier one no longer makes the next one longer.' }),
  baseEjectionTime: config(duration({ zero: false, unlimited: false }))
    .default('30 seconds')
    .meta({ description: 'Length of the first ejection; the second in a row is twice as long, and so on.' }),
  maxEjectionTime: config(duration({ zero: false, unlimited: false }))
    .default('5 minutes')
    .meta({ description: 'Longest ejection.' }),
  maxEjectionPercent: config(integer({ min: 0, max: 100 }))
    .default(50)
    .meta({ description: 'Servers that may be ejected at a time; at least one, and never all.' }),
})
  .optional()
  .meta({
    description: 'Takes servers out for a time whose requests fail. Without it failures have no effect on the choice.',
  })
