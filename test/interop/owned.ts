/** Runs a suite with a stack of resources that is disposed when the suite ends, also on Ctrl-C and SIGTERM. */
export async function withOwned<T>(run: (owned: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const owned = new AsyncDisposableStack()
  const interrupt = (signal: NodeJS.Signals): void => {
    console.log(`${signal}: ending everything that was started`)
    owned.disposeAsync().then(
      () => process.exit(130),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await run(owned)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await owned.disposeAsync()
  }
}
