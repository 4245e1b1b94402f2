import { FilterKind } from '#contracts'
import { config, defineType, duration, integer, string } from '#schema'
import { preserveContent } from './preserve-content.ts'

/** Keeps the content of a POST over a login. */
export const DataPreservationFilter = defineType({
  name: 'DataPreservationFilter',
  kind: FilterKind,
  summary: 'Preserves the content of a POST during a login, and submits it afterwards.',
  config: {
    maxContentLength: config(integer({ min: 1 }))
      .default(4_096)
      .meta({ description: 'Maximum bytes of content; longer content is lost by a login.' }),
    lifetime: config(duration({ zero: false, unlimited: false }))
      .default('20 minutes')
      .meta({ description: 'Time after which preserved content is dropped.' }),
    noJavaScriptMessage: config(string())
      .default('Scripts are disabled in this browser: use the button to send your data.')
      .meta({ description: 'Text for browsers without scripts, beside a button that sends the preserved content.' }),
  },
  create: ({ maxContentLength: maxBytes, lifetime, noJavaScriptMessage: message }, { clock, logger }) =>
    preserveContent({ maxBytes, lifetime, message, clock, logger }),
})
