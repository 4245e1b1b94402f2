/** File name of the page of a type, without its ending: `static-response-handler`. */
export function pageName(type: string): string {
  return type
    .replaceAll('OAuth', 'Oauth')
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .toLowerCase()
}
