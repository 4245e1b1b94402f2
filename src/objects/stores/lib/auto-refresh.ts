import { Executor } from '#contracts'
import { boolean, config, type Environment, object, ref } from '#schema'
import { DirectoryWatch } from '#secrets'

/** The field `autoRefresh` of secret stores that read files. */
export function autoRefresh() {
  return object({
    enabled: config(boolean()).default(true).meta({ description: 'Whether changes of files are noticed.' }),
    executor: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that looks at the files from time to time.' }),
  })
    .default({})
    .meta({ description: 'Reads again what is edited, replaced or deleted, within two seconds.' })
}

/** Looks at a directory as long as the object lives, where that is wanted; and on SIGHUP. */
export function keepLooking(
  settings: { readonly enabled: boolean; readonly executor: Executor },
  directory: string,
  env: Environment,
  check: () => Promise<void>,
): void {
  env.onReload(() => void check())
  if (!settings.enabled) return
  const watch = new DirectoryWatch({ directory, executor: settings.executor, check })
  env.onDispose(() => watch.stop())
}
