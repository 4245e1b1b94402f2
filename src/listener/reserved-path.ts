/** A test for paths of the gateway itself, on the decoded path and in any case (threats B12). */
export function reservedPaths(prefix: string | undefined): (path: string) => boolean {
  const name = prefix?.replace(/^\/+|\/+$/g, '') ?? ''
  if (name === '') return () => false
  const pattern = new RegExp(`^/+${RegExp.escape(name)}(?:[/;?#\\\\]|$)`, 'i')
  return (path) => pattern.test(path)
}
