import type { Messages } from './en.js';

export const es: Messages = {
  'layout.navigation': 'Tu cuenta',
  'layout.applications': 'Tus aplicaciones',
  'layout.logOut': 'Cerrar sesión',
  'layout.loggedInAs': 'Has iniciado sesión como {user}',
  'layout.refused': 'Error: {title}',

  'login.title': 'Iniciar sesión',
  'login.username': 'Nombre de usuario',
  'login.password': 'Contraseña',
  'login.showPassword': 'Mostrar la contraseña',
  'login.hidePassword': 'Ocultar la contraseña',
  'login.submit': 'Iniciar sesión',
  'login.wrong': 'El nombre de usuario o la contraseña no son correctos.',
  'login.outOfDate':
    'Esta página ha estado abierta demasiado tiempo, o tu navegador no acepta cookies. Inicia sesión otra vez.',
  'login.already':
    'Ya has iniciado sesión como {user}, quizá en otra pestaña. Este formulario era anterior, así que no se ha usado.',
  'login.continueAs': 'Continuar como {user}',
  'login.asSomebodyElse': 'O inicia sesión con otra cuenta:',
  'login.toGoOn': 'Para continuar a {client}',
  'login.forgot': '¿Has olvidado la contraseña?',
  'login.signUp': '¿Aún no tienes cuenta? Regístrate',

  'logout.title': 'Cerrar sesión',
  'logout.heading': '¿Cerrar la sesión?',
  'logout.loggedInAs': 'Has iniciado sesión como {user}.',
  'logout.stay': 'Seguir conectado',
  'logout.submit': 'Cerrar sesión',

  'account.title': 'Elegir una cuenta',
  'account.chooseHeading': '¿Con qué cuenta quieres continuar?',
  'account.againHeading': 'Inicia sesión otra vez',
  'account.choose': '{client} pregunta cuál de tus cuentas en {site} debe usar.',
  'account.again': '{client} te pide que vuelvas a iniciar sesión en {site} para asegurarse de que eres tú.',
  'account.current': 'Has iniciado sesión como {user}.',
  'account.continueAs': 'Continuar como {user}',
  'account.another': 'Usar otra cuenta',
  'account.logInAgain': 'Iniciar sesión otra vez',
  'account.cancel': 'Cancelar',
  'account.outOfDate': 'Esta página no estaba al día, así que no se ha cambiado nada. Elige ahora.',

  'consent.title': '¿Permitir el acceso a {client}?',
  'consent.heading': '{client} quiere usar tu cuenta',
  'consent.loggedInAs': 'Has iniciado sesión en {site} como {user}.',
  'consent.notYou': '¿No eres tú?',
  'consent.verified': 'Verificada',
  'consent.verifiedMeaning': '{site} ha comprobado quién está detrás de esta aplicación.',
  'consent.unverified': 'No verificada',
  'consent.unverifiedMeaning':
    '{site} no ha comprobado quién está detrás de esta aplicación. Permite el acceso solo si la conoces y acabas de venir de ella.',
  'consent.deviceUnverifiedMeaning':
    '{site} no ha comprobado quién está detrás de esta aplicación. Permítelo solo si acabas de iniciarla en tu propio dispositivo.',
  'consent.clientUri': 'Sitio web',
  'consent.policyUri': 'Política de privacidad',
  'consent.tosUri': 'Condiciones del servicio',
  'consent.can': 'Si lo permites, podrá:',
  'consent.canNew': 'Esta vez también quiere:',
  'consent.canAlready': 'Ya le habías permitido:',
  'consent.needed': 'necesario',
  'consent.resource': 'El acceso es para {resource}.',
  'consent.untick': 'Desmarca lo que no quieras permitir.',
  'consent.identityOnly':
    'Si lo permites, la aplicación solo sabrá quién eres: el identificador de tu cuenta aquí. No puede ver ni cambiar nada.',
  'consent.cannot': 'No podrá:',
  'consent.cannotPassword': 'Ver ni cambiar tu contraseña',
  'consent.cannotElse': 'Hacer nada que no hayas permitido aquí',
  'consent.cannotNote': '',
  'consent.deny': 'Rechazar',
  'consent.allow': 'Permitir',
  'consent.goesTo': 'En ambos casos continuarás en {host}.',
  'consent.device': 'una aplicación de este dispositivo',
  'consent.takeBack': 'Puedes retirar este permiso cuando quieras.',
  'consent.takeBackLink': 'Ver lo que has permitido',
  'consent.outOfDate': 'Esta página no estaba al día, así que no se ha decidido nada. Decide ahora.',
  'consent.undecided': 'Elige entre permitir y rechazar.',
  'consent.deviceHeading': 'Estás conectando un dispositivo. ¿Muestra este código?',
  'consent.deviceCheck':
    'Permítelo solo si tienes el dispositivo delante y muestra exactamente este código. Si alguien te lo ha enviado, recházalo.',
  'consent.deviceAfter':
    'Después puedes volver a tu dispositivo. Tu contraseña se queda aquí; el dispositivo nunca la ve.',

  'device.title': 'Conectar un dispositivo',
  'device.lead': 'Escribe el código que muestra tu dispositivo.',
  'device.fromLink':
    'El código venía en el enlace. Continúa solo si el dispositivo que tienes delante muestra exactamente este código.',
  'device.code': 'Código',
  'device.codeMeaning': 'Ocho letras. Da igual si son mayúsculas o minúsculas, con guion o sin él.',
  'device.submit': 'Continuar',
  'device.warning':
    '¿Alguien te ha enviado o dictado este código? Entonces no sigas: quien tenga el dispositivo entraría en tu cuenta.',
  'device.wrongCode':
    'Este código no es correcto, ya se ha usado o ha caducado. Mira otra vez tu dispositivo; si muestra otro código, escribe ese.',
  'device.notACode':
    'Un código tiene ocho letras y lo que has escrito tiene más o menos. Mira otra vez tu dispositivo y escríbelas todas.',
  'device.outOfDate':
    'Esta página ha estado abierta demasiado tiempo, o tu navegador no acepta cookies. Envía el código otra vez.',
  'device.allowed': 'Tu dispositivo está conectado',
  'device.allowedMessage':
    'Ya puedes volver a él: continúa por sí solo en unos segundos. Puedes cerrar esta página.',
  'device.later': '¿Has cambiado de idea? Puedes desconectarlo cuando quieras.',
  'device.laterLink': 'Ver tus aplicaciones conectadas',
  'device.denied': 'No se ha conectado nada',
  'device.deniedMessage': 'El dispositivo no tendrá acceso a tu cuenta. Puedes cerrar esta página.',

  'authorizations.title': 'Aplicaciones conectadas',
  'authorizations.lead':
    'Estas aplicaciones pueden usar tu cuenta. Si desconectas una, su acceso termina de inmediato.',
  'authorizations.none': 'No hay aplicaciones conectadas',
  'authorizations.noneMessage':
    'Cuando permites que una aplicación use tu cuenta, aparece aquí y puedes retirarle el permiso.',
  'authorizations.search': 'Buscar una aplicación',
  'authorizations.searchButton': 'Buscar',
  'authorizations.showAll': 'Mostrar todas',
  'authorizations.noneFound': 'Ninguna aplicación conectada se llama así.',
  'authorizations.count': '{count, plural, one {Una aplicación conectada} other {# aplicaciones conectadas}}',
  'authorizations.page': 'Página {page} de {pages}',
  'authorizations.previous': 'Anterior',
  'authorizations.next': 'Siguiente',
  'authorizations.can': 'Puede:',
  'authorizations.identityOnly': 'Sabe quién eres, y no puede ver ni cambiar nada.',
  'authorizations.since': 'Conectada desde el {date}',
  'authorizations.renewed': 'Última actividad: {time}',
  'authorizations.idle': 'Ahora mismo no tiene acceso, pero puede volver a conectarse sin preguntarte.',
  'authorizations.waiting':
    'Has permitido un dispositivo que todavía no ha recogido su acceso. Si lo desconectas ahora, no lo tendrá.',
  'authorizations.device': 'dispositivo',
  'authorizations.trusted': 'parte de este sitio',
  'authorizations.revoke': 'Desconectar',
  'authorizations.revokeAll': 'Desconectar todas…',
  'authorizations.revokeAllMeaning':
    'Todas las aplicaciones y dispositivos pierden el acceso de inmediato y tienen que volver a pedirte permiso.',
  'authorizations.revokeAllConfirm': 'Sí, desconectar todas',
  'authorizations.revoked': 'La aplicación se ha desconectado y su acceso ha terminado.',
  'authorizations.revokedAll': 'Todas las aplicaciones se han desconectado y su acceso ha terminado.',

  'error.client':
    'No has hecho nada mal: el fallo es de la aplicación. Vuelve a ella e inténtalo de nuevo; si se repite, envía a quienes la hacen los detalles de abajo.',
  'error.site':
    'No has hecho nada mal: el fallo es de este sitio. Inténtalo de nuevo; si se repite, comunica a este sitio el número de abajo.',
  'error.unknownClient': 'No conocemos esta aplicación',
  'error.unknownClientMessage':
    'La aplicación que te ha enviado aquí no está registrada en este sitio, o se ha eliminado.',
  'error.wrongRequest': 'La aplicación ha hecho una petición incorrecta',
  'error.wrongRequestMessage':
    'La aplicación que te ha enviado aquí ha hecho una petición que este sitio no puede aceptar.',
  'error.unauthorizedClientMessage':
    'La aplicación que te ha enviado aquí ha pedido algo para lo que no está registrada.',
  'error.invalidScopeMessage':
    'La aplicación que te ha enviado aquí ha pedido un permiso que no existe o que no puede tener.',
  'error.responseTypeMessage':
    'La aplicación que te ha enviado aquí quiere conectarse de una forma que este sitio no ofrece.',
  'error.server': 'Algo ha fallado aquí',
  'error.serverMessage': 'Este sitio ha tenido un problema.',
  'error.unavailable': 'Inténtalo de nuevo en un momento',
  'error.unavailableMessage': 'Este sitio no puede responder ahora mismo.',
  'error.unavailableHint':
    'No has hecho nada mal y no se ha perdido nada: vuelve a cargar la página dentro de unos segundos.',
  'error.wrongForm': 'No se ha podido leer este formulario',
  'error.wrongFormMessage':
    'Lo que se ha enviado no es lo que envía nuestro formulario, así que no se ha cambiado nada.',
  'error.wrongFormHint': 'Vuelve atrás, recarga la página e inténtalo de nuevo.',
  'error.insecure': 'Esta página necesita una conexión segura',
  'error.insecureMessage':
    'Lo que enviaste nos llegó sin cifrar (sin https), así que no se hizo nada con ello.',
  'error.insecureHint':
    '¿La dirección empieza por https:? Entonces el error es de este sitio: avisa a quienes lo mantienen.',
  'error.notFound': 'Aquí no hay nada',
  'error.notFoundMessage': 'La página no existe o pertenece a otra persona.',
  'error.notFoundHint': 'Comprueba la dirección y que has iniciado sesión con la cuenta correcta.',
  'error.conflict': 'Alguien se ha adelantado',
  'error.conflictMessage': 'Lo mismo se ha cambiado en el mismo momento, así que tu cambio no se ha hecho.',
  'error.conflictHint': 'Vuelve atrás, recarga la página y mira cómo está ahora.',
  'error.tooLarge': 'Es demasiado',
  'error.tooLargeMessage':
    'Lo que se ha enviado es más grande de lo que permite nuestro formulario, así que no se ha cambiado nada.',
  'error.tooLargeHint': 'Vuelve atrás, acórtalo e inténtalo de nuevo.',
  'error.tooMany': 'Demasiados intentos',
  'error.tooManyMessage':
    'Se ha intentado demasiadas veces en poco tiempo. Espera {time} e inténtalo de nuevo.',
  'error.tooManyHint': 'Esto evita que unas máquinas prueben contraseñas en las cuentas y en este sitio.',
  'error.denied': 'Acceso denegado',
  'error.deniedMessage': 'La aplicación no obtiene acceso a tu cuenta.',
  'error.unknownClientLink':
    '{site} no sabe quién está detrás de esta aplicación. Continúa solo si la conoces.',
  'error.goOn': 'Continuar a {host}',
  'error.home': 'Ir a {site}',
  'error.redirectUriMessage': '«{client}» quiere enviarte a una dirección que no tiene registrada aquí.',
  'error.redirectUri': 'Dirección solicitada',
  'error.ownClient': 'Esta aplicación es tuya: cambia sus URI de redirección',
  'error.refused': 'Eso no es posible',
  'error.refusedHint': 'No se ha cambiado nada.',
  'error.formOutOfDate': 'Este formulario no está al día. Abre la página otra vez y repite lo que hiciste.',
  'error.notDeveloper': 'Con tu cuenta no se pueden registrar aplicaciones en este sitio.',
  'error.trustedApplication':
    'Este sitio responde por esta aplicación. Pide a quienes lo llevan que la cambien.',
  'error.number': 'Número de esta petición: {id}',
  'error.details': 'Detalles para desarrolladores',
  'error.code': 'Error',
  'error.description': 'Descripción',

  'applications.title': 'Tus aplicaciones',
  'applications.register': 'Registrar una aplicación',
  'applications.none': 'Todavía no hay aplicaciones',
  'applications.noneMessage':
    'Registra una aplicación para que la gente pueda conectarla con su cuenta en {site}. Recibe un identificador propio y pregunta a cada persona antes de ver nada suyo.',
  'applications.registeredOn': 'registrada el {date}',
  'applications.confidential': 'confidencial',
  'applications.public': 'pública',
  'applications.saved': 'Tus cambios se han guardado.',
  'applications.deleted': 'La aplicación se ha eliminado y todos sus accesos han terminado.',
  'applications.registeredBefore': 'Esta aplicación ya estaba registrada: el formulario se envió dos veces.',
  'applications.lostSecret': 'Su secreto se mostró una sola vez. Si no lo tienes, crea uno nuevo abajo.',
  'applications.rotatedBefore':
    'Se creó un secreto nuevo hace un momento: el formulario se envió dos veces y no se creó ningún otro. Si no lo tienes, crea uno nuevo abajo.',
  'applications.tooMany':
    'Tienes {count, plural, one {una aplicación} other {# aplicaciones}} y no puede haber más: elimina una que no necesites.',
  'applications.lists': 'Listas de aplicaciones',
  'applications.all': 'Todas las aplicaciones',
  'applications.selfRegistered': 'Registradas por sí mismas',
  'applications.noneHere': 'Aquí no hay aplicaciones.',
  'applications.next': 'Aplicaciones anteriores',
  'applications.first': 'Volver a las más recientes',
  'applications.users': 'Usuarios: {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'último uso: {date}',
  'applications.notUsed': 'sin uso reciente',
  'applications.notUsedYet': 'sin uso todavía',
  'applications.owner': 'Propietario: {owner}',
  'applications.noOwner': 'registrada por este sitio',
  'applications.itself': 'se registró a sí misma',
  'applications.verified': 'verificada',
  'applications.oldSecretEnded': 'El secreto anterior ya no vale. Ahora solo funciona el actual.',
  'applications.changedMeanwhile':
    'La aplicación cambió después de que abrieras la página, así que no se hizo nada. Este es su estado actual.',
  'applications.nowVerified': 'La aplicación está verificada. Así se muestra cuando pide acceso.',
  'applications.nowUnverified': 'La aplicación ya no está verificada.',
  'applications.deletedBefore':
    'La aplicación está eliminada. El formulario se envió dos veces, sin consecuencias.',

  'application.edit': 'Editar',
  'application.secretNow': 'Copia ahora el secreto del cliente',
  'application.secretOnce':
    'Se muestra solo esta vez. Guárdalo en tu servidor, fuera del código y fuera de aplicaciones y navegadores.',
  'application.details': 'Detalles',
  'application.clientId': 'ID de cliente',
  'application.type': 'Tipo',
  'application.trusted': 'este sitio responde por ella',
  'application.redirectUris': 'URI de redirección',
  'application.noRedirectUris': 'ninguna',
  'application.mayAskFor': 'Puede pedir',
  'application.asksForNothing': 'solo saber quién es una persona',
  'application.getsAccessBy': 'Obtiene acceso mediante',
  'application.registered': 'Registrada',
  'application.authorizationEndpoint': 'Punto de autorización',
  'application.tokenEndpoint': 'Punto de tokens',
  'application.secret': 'Secreto del cliente',
  'application.secretMade': 'Creado el {time}',
  'application.secretEnds': 'Creado el {time}, sirve hasta el {end}',
  'application.secretCurrent': 'actual',
  'application.rotateOverlap':
    'Un secreto nuevo sustituye al actual, que sigue funcionando {span} más para que puedas cambiarlo sin cortes.',
  'application.rotateAtOnce': 'Un secreto nuevo sustituye al actual de inmediato.',
  'application.rotate': 'Crear un secreto nuevo',
  'application.delete': 'Eliminar esta aplicación',
  'application.deleteMeaning':
    'Todas las personas que la usan se desconectan de inmediato. No se puede deshacer.',
  'application.deleteButton': 'Eliminar…',
  'application.deleteHeading': '¿Eliminar {client}?',
  'application.deleteLead':
    'Todas las personas que la usan se desconectan de inmediato: sus tokens terminan y se olvida lo que le habían permitido. No se puede deshacer.',
  'application.keep': 'Conservarla',
  'application.deleteConfirm': 'Eliminar',
  'application.copy': 'Copiar',
  'application.copied': 'Copiado',
  'application.copyByHand': 'Seleccionado: cópialo con el teclado o el menú',
  'application.users': 'Usuarios',
  'application.lastUsed': 'Último uso',
  'application.owner': 'Propietario',
  'application.authentication': 'Se identifica con',
  'application.bySecret': 'secreto del cliente',
  'application.byKeys': 'claves públicas',
  'application.byNothing': 'nada (pública)',
  'application.keys': 'Claves',
  'application.keysHere': 'Sus firmas se comprueban con estas claves públicas:',
  'application.keysThere': 'Sus firmas se comprueban con las claves públicas de {address}.',
  'application.keysChange': 'Para cambiarlas, edita la aplicación.',
  'application.endOld': 'Anular ya el secreto anterior',
  'application.endOldMeaning':
    'Cuando todo lo tuyo use el secreto actual, anula el anterior. Lo que aún lo use se rechazará de inmediato.',
  'application.code': 'Código para copiar',
  'application.codeMeaning': 'Con los valores de esta aplicación. No contiene secretos: vienen del entorno.',
  'application.verification': 'Verificación',
  'application.isVerified':
    'Este sitio declara que sabe quién está detrás de esta aplicación: cuando pide acceso, aparece como verificada. Si su propietario cambia el nombre o los URI de redirección, deja de estarlo.',
  'application.isUnverified':
    'Cuando pide acceso, se advierte de que nadie ha comprobado quién está detrás de esta aplicación. Verifícala si sabes quién la hizo y si el nombre y los URI de redirección le corresponden.',
  'application.isSelfRegistered':
    'Se registró a sí misma: todo lo que dice de sí, empezando por su nombre, es solo lo que ella afirma. Una vez verificada, ya no puede cambiarse a sí misma.',
  'application.verify': 'Verificar',
  'application.unverify': 'Retirar la verificación',
  'application.deleteType': 'Para confirmar, escribe su nombre: {client}',
  'application.deleteTypeOr': 'También sirve su ID de cliente: {id}',
  'application.deleteMismatch': 'Ese no es su nombre, así que no se eliminó nada.',

  'form.edit': 'Editar {client}',
  'form.notSaved': 'Todavía no se ha guardado nada.',
  'form.pleaseLook': 'Revisa esto:',
  'form.name': 'Nombre',
  'form.nameMeaning': 'La gente lo ve cuando tu aplicación pide acceso.',
  'form.type': 'Tipo',
  'form.confidential': 'Confidencial',
  'form.confidentialMeaning':
    'Funciona en un servidor tuyo y puede guardar allí un secreto. Recibe un secreto de cliente.',
  'form.public': 'Pública',
  'form.publicMeaning':
    'Funciona en los dispositivos de la gente, como aplicación o en el navegador, donde ningún secreto está seguro. No recibe ninguno.',
  'form.redirectUris': 'URI de redirección',
  'form.redirectUrisMeaning':
    'Adónde vuelve la gente, una por línea y completas: {web}. Para aplicaciones también {loopback} (cualquier puerto) o {scheme}.',
  'form.scopes': 'Qué puede pedir',
  'form.grantTypes': 'Cómo obtiene acceso',
  'form.register': 'Registrar',
  'form.save': 'Guardar los cambios',
  'form.cancel': 'Cancelar',
  'form.outOfDate':
    'Esta página estuvo abierta demasiado tiempo, así que todavía no se ha guardado nada. Lo que escribiste sigue aquí: revísalo y envíalo otra vez.',
  'form.loggedOut': 'Tu sesión ha terminado',
  'form.loggedOutLead':
    'Todavía no se ha guardado nada y nada se ha perdido: lo que escribiste espera en esta página.',
  'form.loggedOutLink': 'Inicia sesión en otra pestaña',
  'form.loggedOutAfter':
    'Después vuelve a esta pestaña y envíalo otra vez. Antes de que se guarde podrás revisarlo todo.',
  'form.sendAgain': 'Enviar otra vez',
  'form.line': 'Línea {line}',
  'form.authentication': 'Cómo demuestra que es ella',
  'form.bySecret': 'Con un secreto del cliente',
  'form.bySecretMeaning': 'Una contraseña larga y aleatoria, que se crea aquí y se te muestra una sola vez.',
  'form.byKeys': 'Con claves que se introducen aquí',
  'form.byKeysMeaning':
    'Firma con su clave privada (private_key_jwt) y tú introduces aquí la pública. Aquí no se guarda nada secreto.',
  'form.byKeysAddress': 'Con claves en una dirección',
  'form.byKeysAddressMeaning':
    'Lo mismo, pero con las claves públicas en tu propio servidor (jwks_uri), donde puedes cambiarlas cuando quieras.',
  'form.jwks': 'Claves públicas',
  'form.jwksMeaning': 'Un conjunto de claves en JSON: {example}. Nunca una clave privada.',
  'form.jwksUri': 'Dirección de las claves públicas',
  'form.jwksUriMeaning': 'Por ejemplo, {example}. Se lee cuando la aplicación pide tokens.',
  'form.newSecretMeaning':
    'Si antes tenía claves, recibe un secreto nuevo, que se muestra una sola vez en la página siguiente.',

  'grantType.authorization_code': 'Iniciar la sesión de las personas',
  'grantType.authorization_code.meaning':
    'La persona llega desde la aplicación, da permiso y vuelve. Lo habitual.',
  'grantType.refresh_token': 'Seguir conectada',
  'grantType.refresh_token.meaning':
    'La aplicación conserva su acceso cuando la persona se ha ido, hasta que se le retira.',
  'grantType.client_credentials': 'Actuar por sí misma',
  'grantType.client_credentials.meaning':
    'La aplicación obtiene un acceso propio, sin ninguna persona. Solo aplicaciones confidenciales.',
  'grantType.implicit': 'Iniciar la sesión sin código (antiguo)',
  'grantType.implicit.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: los tokens pasan por la barra de direcciones del navegador.',
  'grantType.password': 'Pedir contraseñas (antiguo)',
  'grantType.password.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: ven las contraseñas de las personas.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Conectar dispositivos',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'Para televisores, impresoras y líneas de comandos: la persona escribe un código corto en otro dispositivo y da permiso allí.',

  'problem.nameMissing': 'La aplicación necesita un nombre.',
  'problem.nameTooLong': 'El nombre tiene más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.nameInvisible': 'El nombre tiene caracteres invisibles o de control.',
  'problem.nameMarks': 'El nombre tiene demasiados signos encima o debajo de una letra.',
  'problem.typeUnknown': 'El tipo es confidencial o pública.',
  'problem.publicCredentials':
    'Una aplicación pública no puede actuar por sí misma: no tiene con qué identificarse.',
  'problem.redirectUriMissing':
    'Hace falta al menos un URI de redirección, como https://app.example/callback.',
  'problem.redirectUriTooMany': 'Hay más de {max} URI de redirección.',
  'problem.uriTooLong': 'Tiene más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.uriCharacters': 'Tiene un espacio u otro carácter que debe codificarse con porcentaje.',
  'problem.uriWildcard':
    'Tiene un *. Los URI de redirección se comparan con exactitud, sin comodines: introduce cada uno.',
  'problem.uriNotAbsolute': 'No es una dirección completa, como https://app.example/callback.',
  'problem.uriFragment': 'Tiene un fragmento (#…), que un URI de redirección no puede tener.',
  'problem.uriScheme': 'No es posible una dirección con {scheme}.',
  'problem.uriUserinfo': 'Tiene un nombre de usuario o una contraseña delante del servidor.',
  'problem.uriHttp':
    'Sin TLS solo son posibles localhost, 127.0.0.1 y [::1]. Para los demás servidores, usa https: siempre.',
  'problem.uriPrivateScheme': 'El esquema de una app necesita un punto, como com.example.app:/callback.',
  'problem.uriQuery': 'Su consulta tiene {parameter}, que la propia respuesta añade.',
  'problem.scopeUnknown': 'No existe el permiso {scope}.',
  'problem.grantTypeUnknown': 'El tipo de concesión {grantType} no se ofrece aquí.',
  'problem.grantTypeMissing': 'Elige al menos una forma de obtener acceso.',
  'problem.authenticationUnknown': 'Elige cómo demuestra que es ella.',
  'problem.jwksMissing': 'Introduce las claves públicas.',
  'problem.jwksNoJson': 'Las claves no son JSON válido.',
  'problem.jwksNoSet': 'No es un conjunto de claves. Tiene esta forma: {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount':
    'El conjunto tiene {count, plural, one {una clave} other {# claves}}. Puede haber de 1 a {max}.',
  'problem.jwksTooLong': 'Las claves tienen más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.jwksNoObject': 'Una clave del conjunto no es un objeto JSON.',
  'problem.jwksPrivate':
    'Es una clave privada o secreta, que solo su dueño puede tener. No la uses más: crea otra e introduce su mitad pública.',
  'problem.jwksMembers': 'Una clave tiene miembros que no son ni texto ni una lista de textos.',
  'problem.jwksKind': 'Una clave es de un tipo (kty) distinto de RSA, EC y OKP.',
  'problem.jwksRsaSize': 'Una clave RSA tiene menos de 2048 o más de 8192 bits.',
  'problem.jwksUriMissing': 'Introduce la dirección de las claves públicas.',
  'problem.jwksUriNotUrl': 'La dirección de las claves no es un URL.',
  'problem.jwksUriParts':
    'La dirección de las claves tiene un nombre de usuario, una contraseña o un fragmento.',
  'problem.jwksUriScheme': 'La dirección de las claves debe empezar por https://.',

  'snippet.secret': 'CLIENT_SECRET viene del entorno',
  'snippet.key': 'CLIENT_PRIVATE_KEY viene del entorno: PKCS #8, en PEM',
  'snippet.assertion': 'CLIENT_ASSERTION viene del entorno: un JWT firmado por tu aplicación (RFC 7523)',
  'snippet.open': 'abre esta dirección en un navegador',
  'snippet.paste': 'el navegador vuelve al URI de redirección: copia el código de allí',
  'snippet.begin': 'envía a la persona a esta dirección y guarda los otros dos valores en su sesión',
  'snippet.finish': 'con la dirección completa a la que volvió la persona',
};
