import { Executor } from '#contracts'
import { boolean, config, type Environment, object, ref } from '#schema'
import { DirectoryWatch } from '#secrets'

/** The field `autoRefresh` of secret stores that read files. */
export function autoRefresh() {
  return object({
    enabled: config(boolean()).default(true).meta({ description: 'Whether changed files are reloaded.' }),
    executor: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that checks the files periodically.' }),
  })
    .default({})
    .meta({ description: 'Reloads changed, replaced and deleted files, within two seconds.' })
}

/** Watches a directory until the object is disposed, if enabled; and checks it on SIGHUP. */
export function watchDirectory(
  settings: { readonly enabled: boolean; readonly executor: Executor },
  directory: string,
  env: Environment,
  check: () => Promise<void>,
): void {
  if (!settings.enabled) {
    env.onReload(() => void check())
    return
  }
  const watch = new DirectoryWatch({ directory, executor: settings.executor, check })
  env.onReload(() => void watch.check())
  env.onDispose(() => watch.stop())
}
