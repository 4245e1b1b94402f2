import { join, resolve } from 'node:path'
import { HandlerKind } from '#contracts'
import { byShape, config, defineType, duration, field, ignored, oneOf, ref, string } from '#schema'

/** Seconds, as in files of older gateways; negative means disabled (field-notes 0). */
const seconds = field<number>(
  { label: 'a number of seconds', schema: () => ({ type: 'number' }) },
  (value) => (value as number) * 1000,
)

const DURATION = duration({ unlimited: false })

/** A duration, or a number of seconds as text: what `&{tokens}` give. */
const interval = field<number>(DURATION.info.shape, (value, report) =>
  typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) * 1000 : DURATION.decode(value, report),
)

/** Dispatches to the routes of a folder. */
export const Router = defineType({
  name: 'Router',
  aliases: ['RouterHandler'],
  kind: HandlerKind,
  summary: 'Dispatches each request to the first route whose condition is true.',
  config: {
    directory: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Folder of the route files; `config/routes` of the instance by default.' }),
    scanInterval: byShape({ string: config(interval), number: seconds })
      .default('10 seconds')
      .meta({
        description:
          'Interval of scans of the folder, which is also watched. `disabled`: only at start-up and on SIGHUP. A number is seconds.',
      }),
    order: config(oneOf(['name', 'file']))
      .default('name')
      .meta({
        description:
          'Order in which routes are evaluated: by the name of the route, or by the name of its file without `.json`, compared character by character.',
      }),
    defaultHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests without a matching route; without it they get 404.' }),
  },
  older: [
    ignored('failOnRouteError', 'a route that fails to load never stops the gateway, and the others are served'),
    ignored('delayRouteMetrics', 'metrics of a route exist from its deployment on'),
  ],
  create: ({ directory, scanInterval, order, defaultHandler }, env) =>
    env.router.openRouter(
      {
        name: env.localName,
        directory:
          directory === undefined ? join(env.directories.config, 'routes') : resolve(env.directories.config, directory),
        // Older files have -1 for never.
        scanInterval: Math.max(0, scanInterval),
        order,
        defaultHandler: defaultHandler ?? null,
      },
      env,
    ),
})
