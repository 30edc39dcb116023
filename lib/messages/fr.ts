import type { Messages } from './en.js';

export const fr: Messages = {
  'layout.navigation': 'Votre compte',
  'layout.applications': 'Vos applications',
  'layout.logOut': 'Se déconnecter',
  'layout.loggedInAs': 'Connecté en tant que {user}',
  'layout.refused': 'Erreur : {title}',
  'layout.language': 'Langue',

  'login.title': 'Connexion',
  'login.username': 'Nom d’utilisateur',
  'login.password': 'Mot de passe',
  'login.showPassword': 'Afficher le mot de passe',
  'login.hidePassword': 'Masquer le mot de passe',
  'login.submit': 'Se connecter',
  'login.wrong': 'Le nom d’utilisateur ou le mot de passe est incorrect.',
  'login.outOfDate':
    'Cette page est restée ouverte trop longtemps, ou votre navigateur refuse les cookies. Veuillez vous connecter à nouveau.',
  'login.already':
    'Vous êtes déjà connecté en tant que {user}, peut-être dans un autre onglet. Ce formulaire datait d’avant et n’a pas été utilisé.',
  'login.continueAs': 'Continuer en tant que {user}',
  'login.asSomebodyElse': 'Ou connectez-vous à un autre compte :',
  'login.toGoOn': 'Pour continuer vers {client}',
  'login.forgot': 'Mot de passe oublié ?',
  'login.signUp': 'Pas encore de compte ? Inscrivez-vous',

  'logout.title': 'Déconnexion',
  'logout.heading': 'Se déconnecter ?',
  'logout.loggedInAs': 'Vous êtes connecté en tant que {user}.',
  'logout.stay': 'Rester connecté',
  'logout.submit': 'Se déconnecter',
  'endSession.byClient': '{client} demande si vous voulez aussi vous déconnecter de {site}.',
  'endSession.here': 'Voulez-vous vous déconnecter de {site} ?',
  'endSession.meaning':
    'Les applications et les sites auxquels vous vous êtes connecté avec ce compte en sont informés et vous déconnectent aussi.',
  'endSession.done': 'Vous êtes déconnecté',
  'endSession.nobody': 'Plus personne n’est connecté ici.',
  'endSession.telling': 'Les applications et les sites auxquels vous étiez connecté en sont informés.',
  'endSession.back': 'Revenir à {client}',

  'formPost.title': 'Un instant',
  'formPost.message': 'Vous êtes en train de revenir vers {client}.',
  'formPost.goOn': 'Continuer',
  'account.title': 'Choisir un compte',
  'account.chooseHeading': 'Avec quel compte continuer ?',
  'account.againHeading': 'Veuillez vous connecter à nouveau',
  'account.choose': '{client} demande lequel de vos comptes sur {site} utiliser.',
  'account.again':
    '{client} vous demande de vous connecter à nouveau à {site} pour être sûr que c’est bien vous.',
  'account.current': 'Vous êtes connecté en tant que {user}.',
  'account.continueAs': 'Continuer en tant que {user}',
  'account.another': 'Utiliser un autre compte',
  'account.logInAgain': 'Se connecter à nouveau',
  'account.cancel': 'Annuler',
  'account.outOfDate': 'Cette page n’était plus à jour : rien n’a été modifié. Veuillez choisir maintenant.',

  'openid.openid': 'Vous connecter avec votre compte d’ici',
  'openid.profile': 'Voir votre nom, votre photo et les autres informations de votre profil',
  'openid.email': 'Voir votre adresse e-mail',
  'openid.address': 'Voir votre adresse postale',
  'openid.phone': 'Voir votre numéro de téléphone',
  'openid.offline_access': 'Garder cet accès quand vous ne l’utilisez pas',
  'claim.name': 'Voir votre nom complet',
  'claim.family_name': 'Voir votre nom de famille',
  'claim.given_name': 'Voir votre prénom',
  'claim.middle_name': 'Voir votre deuxième prénom',
  'claim.nickname': 'Voir votre surnom',
  'claim.preferred_username': 'Voir le nom d’utilisateur sous lequel vous souhaitez être appelé',
  'claim.profile': 'Voir l’adresse de votre page de profil',
  'claim.picture': 'Voir votre photo',
  'claim.website': 'Voir l’adresse de votre site web',
  'claim.gender': 'Voir votre genre',
  'claim.birthdate': 'Voir votre date de naissance',
  'claim.zoneinfo': 'Voir votre fuseau horaire',
  'claim.locale': 'Voir votre langue et votre région',
  'claim.updated_at': 'Voir quand votre profil a été modifié pour la dernière fois',
  'claim.email_verified': 'Voir si votre adresse e-mail a été vérifiée',
  'claim.phone_number_verified': 'Voir si votre numéro de téléphone a été vérifié',
  'claim.other': 'Voir ce que ce site sait de vous sous le nom « {claim} »',

  'consent.title': 'Autoriser {client} ?',
  'consent.heading': '{client} souhaite utiliser votre compte',
  'consent.loggedInAs': 'Connecté à {site} en tant que {user}.',
  'consent.notYou': 'Pas vous ?',
  'consent.verified': 'Vérifiée',
  'consent.verifiedMeaning': '{site} a vérifié qui est derrière cette application.',
  'consent.tooManyClients':
    'En une journée, vous ne pouvez autoriser qu’un nombre limité d’applications nouvelles sur ce site et que personne n’a vérifiées. Rien n’est perdu : autorisez celle-ci demain.',
  'consent.unverified': 'Non vérifiée',
  'consent.unverifiedMeaning':
    '{site} n’a pas vérifié qui est derrière. N’acceptez que si vous connaissez l’application et en venez à l’instant.',
  'consent.deviceUnverifiedMeaning':
    '{site} n’a pas vérifié qui est derrière cette application. Ne l’autorisez que si vous venez de la lancer sur votre propre appareil.',
  'consent.host': 'Son adresse :',
  'consent.aDevice': 'sur un appareil',
  'consent.registered': 'Enregistrée ici : {date}',
  'consent.registeredBy': 'Enregistrée ici : {date}, par {owner}',
  'consent.handedOver': 'Entre les mains de {owner} depuis le {date}',
  'consent.registeredItself': 'Elle s’est enregistrée ici elle-même : {date}',
  'consent.describesItself': 'Elle dit qui elle est à l’adresse {url}',
  'consent.onDevice':
    'Vous continuerez dans une application de cet appareil, et n’importe laquelle pourrait se faire passer pour {client}. N’acceptez que si vous venez de la lancer vous-même.',
  'consent.fewPeople': 'Moins de {count} personnes l’utilisent',
  'consent.clientUri': 'Site web',
  'consent.policyUri': 'Politique de confidentialité',
  'consent.tosUri': 'Conditions d’utilisation',
  'consent.can': 'Si vous acceptez, elle pourra :',
  'consent.canNew': 'Cette fois, elle souhaite aussi :',
  'consent.canAlready': 'Vous lui avez déjà permis de :',
  'consent.canInParticular': 'Et ceci en particulier :',
  'consent.needed': 'nécessaire',
  'consent.highRisk': 'Peut nuire',
  'consent.highRiskMeaning':
    'Ce qui peut nuire n’est pas coché d’avance. Ne le cochez que si vous voulez l’autoriser.',
  'consent.more': 'Autres',
  'consent.count': '{count, plural, one {# autorisation} other {# autorisations}}',
  'consent.includes': 'Comprend : {scope}',
  'consent.includedIn': 'Compris dans « {scope} », même si vous le décochez ici.',
  'consent.mayHandOn': '{client} peut transmettre cela à {other}.',
  'consent.resource': 'L’accès concerne {resource}.',
  'consent.untick': 'Décochez ce que vous ne voulez pas autoriser.',
  'consent.identityOnly':
    'Si vous acceptez, l’application saura seulement qui vous êtes : l’identifiant de votre compte ici. Elle ne peut rien voir ni rien modifier.',
  'consent.cannot': 'Elle ne pourra pas :',
  'consent.cannotPassword': 'Voir ou changer votre mot de passe',
  'consent.cannotElse': 'Faire autre chose que ce que vous autorisez ici',
  'consent.cannotNote': '',
  'consent.deny': 'Refuser',
  'consent.allow': 'Autoriser',
  'consent.askEachTime': 'Me redemander à chaque fois',
  'consent.goesTo': 'Dans les deux cas, vous continuez vers {host}.',
  'consent.device': 'une application sur cet appareil',
  'consent.takeBack': 'Vous pouvez revenir sur cette autorisation à tout moment.',
  'consent.takeBackLink': 'Voir ce que vous avez autorisé',
  'consent.outOfDate': 'Cette page n’était plus à jour : rien n’a été décidé. Veuillez décider maintenant.',
  'consent.undecided': 'Veuillez choisir d’autoriser ou de refuser.',
  'consent.nothingTicked':
    'Vous n’avez rien coché, rien n’a donc été décidé. Cochez ce que vous voulez autoriser, ou refusez.',
  'consent.notPicked': 'Il manque un choix, rien n’a donc été décidé. Regardez ci-dessous.',
  'choice.lifetime': 'Combien de temps peut-elle avoir accès ?',
  'choice.pick': 'Choisissez',
  'choice.none': 'Sans limite',
  'choice.missing': 'Choisissez l’une de ces possibilités.',
  'choice.wrongNumber': 'Saisissez un nombre de {min} à {max}.',
  'choice.nothing': 'Il n’y a rien ici que vous puissiez choisir, on ne peut donc pas l’autoriser.',
  'consent.confirmTitle': 'Faut-il vraiment autoriser {client} ?',
  'consent.confirmHeading': '{client} aurait beaucoup de pouvoir',
  'consent.confirmLead': 'Si vous continuez, elle pourra :',
  'consent.confirmMeaning':
    'Une personne que vous ne connaissez pas, ou un message inattendu, vous a fait venir ici ? Alors refusez.',
  'consent.confirm': 'Autoriser quand même',
  'consent.deviceHeading': 'Vous connectez un appareil. Affiche-t-il ce code ?',
  'consent.deviceCheck':
    'N’acceptez que si l’appareil est devant vous et affiche exactement ce code. Si quelqu’un vous l’a envoyé, refusez.',
  'consent.deviceAfter':
    'Ensuite, vous pouvez retourner à votre appareil. Votre mot de passe reste ici ; l’appareil ne le voit jamais.',

  'device.title': 'Connecter un appareil',
  'device.lead': 'Saisissez le code que votre appareil affiche.',
  'device.fromLink':
    'Le code était dans le lien. Ne continuez que si l’appareil devant vous affiche exactement ce code.',
  'device.code': 'Code',
  'device.codeMeaning': 'Huit lettres. Majuscules ou minuscules, avec ou sans tiret, peu importe.',
  'device.submit': 'Continuer',
  'device.warning':
    'Quelqu’un vous a envoyé ou dicté ce code ? Alors arrêtez-vous : la personne qui a l’appareil entrerait dans votre compte.',
  'device.wrongCode':
    'Ce code n’est pas le bon, a déjà servi ou a expiré. Regardez encore votre appareil ; s’il affiche un autre code, saisissez celui-là.',
  'device.notACode':
    'Un code a huit lettres ; ce que vous avez saisi en a plus ou moins. Regardez encore votre appareil et saisissez-les toutes.',
  'device.outOfDate':
    'Cette page est restée ouverte trop longtemps, ou votre navigateur refuse les cookies. Veuillez envoyer le code à nouveau.',
  'device.allowed': 'Votre appareil est connecté',
  'device.allowedMessage':
    'Vous pouvez y retourner : il continue tout seul dans quelques secondes. Vous pouvez fermer cette page.',
  'device.later': 'Vous avez changé d’avis ? Vous pouvez le déconnecter à tout moment.',
  'device.laterLink': 'Voir vos applications connectées',
  'device.denied': 'Rien n’a été connecté',
  'device.deniedMessage': 'L’appareil n’aura pas accès à votre compte. Vous pouvez fermer cette page.',

  'tokens.title': 'Jetons d’accès',
  'tokens.lead':
    'Vos propres programmes accèdent à votre compte avec ces jetons. Quiconque a un jeton peut faire ce qu’il permet.',
  'tokens.none': 'Aucun jeton d’accès',
  'tokens.noneMessage': 'Créez-en un pour un script, une tâche planifiée ou un outil à vous.',
  'tokens.new': 'Nouveau jeton',
  'tokens.newService': 'Nouveau jeton de service',
  'tokens.service': 'Jetons de service',
  'tokens.serviceLead':
    'Ils n’agissent pour personne. Chaque personne qui s’en occupe peut le remplacer et le révoquer.',
  'tokens.serviceBadge': 'service',
  'tokens.blockedBadge': 'bloqué',
  'tokens.isBlocked': 'Ce site a bloqué le jeton.',
  'tokens.blockedSince':
    'Il n’ouvre plus rien depuis : {time}. Une fois débloqué, il fonctionnera de nouveau tel quel.',
  'tokens.serviceApps': 'Vos applications qui agissent pour elles-mêmes',
  'tokens.noService': 'Vous ne vous occupez d’aucun jeton de service.',
  'tokens.made': 'Créé le {date}',
  'tokens.expires': 'Expire le {date}',
  'tokens.expiresNever': 'N’expire pas',
  'tokens.used': 'Utilisé pour la dernière fois le {date}',
  'tokens.unused': 'Pas encore utilisé',
  'tokens.revoke': 'Révoquer',
  'tokens.revokeMeaning': 'Les programmes qui l’utilisent perdent aussitôt l’accès.',
  'tokens.revokeConfirm': 'Le révoquer',
  'tokens.revokeAll': 'Tout révoquer…',
  'tokens.revokeAllMeaning':
    'Tous vos jetons d’accès personnels prennent fin aussitôt, et les programmes qui les utilisent perdent l’accès.',
  'tokens.revokeAllConfirm': 'Tous les révoquer',
  'tokens.revoked': '{client} a pris fin et ne donne plus accès.',
  'tokens.revokedAll': 'Tous vos jetons d’accès personnels ont pris fin.',
  'tokens.back': 'Tous les jetons d’accès',
  'tokens.name': 'Nom',
  'tokens.nameMeaning': 'Pour le reconnaître dans la liste, par exemple « Sauvegarde nocturne ».',
  'tokens.purpose': 'À quoi il sert (facultatif)',
  'tokens.resource': 'Pour quelle API',
  'tokens.resourceOwn': 'L’API de {site}',
  'tokens.scopesMeaning':
    'Cochez seulement ce dont le programme a besoin. Vous pourrez ensuite retirer quelque chose, mais rien ajouter.',
  'tokens.expiry': 'Expire',
  'tokens.expiryIn': 'Dans {span}',
  'tokens.expiryOn': 'À une date',
  'tokens.expiryDate': 'Date',
  'tokens.expiryDateMeaning': 'À la fin de ce jour (UTC), au plus tard le {date}.',
  'tokens.expiryNever': 'Jamais',
  'tokens.expiryNeverMeaning':
    'Il fonctionne jusqu’à ce que quelqu’un le révoque : quiconque le trouve peut l’utiliser aussi longtemps.',
  'tokens.create': 'Créer le jeton',
  'tokens.confirmHeading': 'Est-ce bien ce que vous voulez ?',
  'tokens.confirmLead': 'Entre de mauvaises mains, « {name} » pourrait causer du tort :',
  'tokens.confirmMeaning': 'Quiconque a le jeton peut le faire sans vous demander.',
  'tokens.confirm': 'Oui, créer le jeton',
  'tokens.nameMissing': 'Donnez un nom au jeton.',
  'tokens.nameLong': 'Le nom peut avoir 100 caractères au plus.',
  'tokens.nameUnseen': 'Le nom a des caractères invisibles, ou rien à lire.',
  'tokens.purposeLong': 'Le texte peut avoir 500 caractères au plus.',
  'tokens.purposeUnseen': 'Le texte a des caractères invisibles.',
  'tokens.scopesMissing': 'Cochez au moins une chose qu’il peut faire.',
  'tokens.scopesElsewhere': 'Rien de ce que vous avez coché n’appartient à cette API.',
  'tokens.resourceMissing': 'Choisissez une API.',
  'tokens.expiryMissing': 'Choisissez quand il expire.',
  'tokens.expiryPast': 'Ce jour est passé.',
  'tokens.expiryLate': 'C’est trop tard.',
  'tokens.tooMany': 'Il peut y avoir {count} jetons à la fois, et vous les avez. Révoquez-en d’abord un.',
  'tokens.refused': 'Ce site ne le permet pas.',
  'tokens.madeTitle': 'Votre nouveau jeton',
  'tokens.madeLead': 'Copiez-le maintenant : il n’est montré que cette fois.',
  'tokens.value': 'Jeton',
  'tokens.try': 'L’essayer dans un terminal',
  'tokens.alreadyMade':
    'Ce jeton a déjà été créé, et sa valeur a été montrée. Si vous ne l’avez pas copiée, remplacez le jeton.',
  'tokens.formerUntil': 'L’ancienne valeur fonctionne jusqu’à {time}.',
  'tokens.madeLabel': 'Créé',
  'tokens.replacedLabel': 'Dernier remplacement',
  'tokens.usedLabel': 'Dernière utilisation',
  'tokens.purposeLabel': 'À quoi il sert',
  'tokens.rotate': 'Remplacer',
  'tokens.rotateMeaning':
    'Vous recevez une nouvelle valeur. L’actuelle fonctionne encore {span}, pour que vous puissiez changer votre programme.',
  'tokens.rotateAtOnce': 'Vous recevez une nouvelle valeur. L’actuelle prend fin aussitôt.',
  'tokens.rotateButton': 'Le remplacer',
  'tokens.rotatedMeanwhile': 'Il a été remplacé avant, et la nouvelle valeur a été montrée alors.',
  'tokens.untick': 'Décochez ce que vous voulez retirer. Cela ne pourra pas être redonné.',
  'tokens.ownersMeaning':
    'Chaque propriétaire peut tout faire ici : remplacer le jeton, retirer des autorisations, y mettre fin.',
  'tokens.tooManyOwners': 'Le jeton a autant de propriétaires qu’il peut en avoir.',
  'tokens.nowOwner': 'Vous êtes désormais propriétaire de ce jeton.',
  'tokens.ownerRemoved': 'Le propriétaire est retiré. S’il connaît le jeton, remplacez-le.',
  'tokens.lastOwner': 'Personne d’autre ne possède le jeton. Transmettez-le ou mettez-y fin.',
  'tokens.tooManyToAccept':
    'Vous gérez autant de jetons de service que possible. Quittez-en un ou mettez-y fin d’abord.',
  'tokens.removeOwnerMeaning':
    'Cette personne ne pourra plus voir ni modifier le jeton. Si elle en connaît la valeur, remplacez-le ensuite.',
  'tokens.acceptMeaning':
    'Vous pourrez alors remplacer le jeton, retirer des autorisations et y mettre fin, comme ses autres propriétaires. Il n’agit pour personne, pas même pour vous.',
  'tokens.left': 'Vous ne vous occupez plus de {client}.',
  'tokens.nowInvited':
    'Si cette personne existe ici, elle trouvera l’invitation sur sa page de jetons d’accès.',
  'tokens.personMeaning':
    'Vous ne saurez pas si cette personne existe ici. Si c’est le cas, elle trouvera l’invitation sur sa page de jetons d’accès et aura sept jours pour l’accepter.',
  'authorizations.revokeAllMeaningTokens':
    'Toutes les applications et tous les appareils perdent aussitôt l’accès et doivent vous redemander. Vos jetons d’accès personnels prennent fin aussi.',

  'notify.newApp.subject': '{client} peut maintenant utiliser votre compte sur {site}',
  'notify.newApp.text': 'Vous avez permis à l’application {client} d’utiliser votre compte sur {site}.',
  'notify.moreScopes.subject': '{client} peut maintenant faire davantage avec votre compte sur {site}',
  'notify.moreScopes.text':
    'Vous avez permis à l’application {client} de faire davantage qu’avant avec votre compte sur {site}.',
  'notify.newDevice.subject': 'Un appareil peut maintenant utiliser votre compte sur {site}',
  'notify.newDevice.text': 'Vous avez connecté un appareil avec {client} à votre compte sur {site}.',
  'notify.newToken.subject': 'Nouveau jeton d’accès sur {site} : {client}',
  'notify.newToken.text':
    'Le jeton d’accès {client} a été créé sur {site}. Quiconque l’a peut faire ce qu’il permet.',
  'notify.tokenExpiring.subject': 'Votre jeton d’accès {client} sur {site} expire le {date}',
  'notify.tokenExpiring.text':
    'Le jeton d’accès {client} sur {site} fonctionne jusqu’au {date}. Si un programme en a encore besoin, remplacez-le avant.',
  'notify.tokenLeaked.subject': 'Votre jeton d’accès {client} sur {site} a été vu ailleurs et a pris fin',
  'notify.tokenLeaked.text':
    'Quelqu’un a signalé le jeton d’accès {client} sur {site}, car il a été vu là où il ne devait pas être. Il ne donne plus accès. Créez-en un nouveau si un programme en a besoin, et vérifiez si quelque chose que vous ne vouliez pas s’est produit.',
  'notify.tokenBlocked.subject': 'Votre jeton d’accès {client} est bloqué sur {site}',
  'notify.tokenBlocked.text':
    '{site} a bloqué votre jeton d’accès {client}. Il n’ouvre rien tant qu’il n’est pas débloqué.',
  'notify.reuseDetected.subject': 'L’accès de {client} sur {site} a pris fin pour votre sécurité',
  'notify.reuseDetected.text':
    'Quelque chose qui ne peut servir qu’une fois a servi deux fois avec {client} sur {site}. Quelqu’un l’a peut-être copié ; cet accès a donc pris fin. Reconnectez l’application si vous l’utilisez encore.',
  'notify.appBlocked.subject': 'Votre application {client} est bloquée sur {site}',
  'notify.appBlocked.text':
    '{site} a bloqué votre application {client}. Elle n’obtient aucun accès tant que ce n’est pas levé.',
  'notify.notYou': 'Si ce n’était pas vous, mettez-y fin ici :',
  'notify.look': 'À voir ici :',

  'authorizations.title': 'Applications connectées',
  'authorizations.lead':
    'Ces applications peuvent utiliser votre compte. Si vous en déconnectez une, son accès prend fin aussitôt.',
  'authorizations.none': 'Aucune application connectée',
  'authorizations.noneMessage':
    'Quand vous autorisez une application à utiliser votre compte, elle apparaît ici et vous pouvez revenir sur cette autorisation.',
  'authorizations.search': 'Chercher une application',
  'authorizations.searchButton': 'Chercher',
  'authorizations.showAll': 'Tout afficher',
  'authorizations.sort': 'Trier par',
  'authorizations.sortRenewed': 'dernier renouvellement',
  'authorizations.sortSince': 'connexion la plus récente',
  'authorizations.sortName': 'nom',
  'authorizations.noneFound': 'Aucune application connectée ne porte ce nom.',
  'authorizations.count':
    '{count, plural, one {Une application connectée} other {# applications connectées}}',
  'authorizations.page': 'Page {page} sur {pages}',
  'authorizations.previous': 'Précédente',
  'authorizations.next': 'Suivante',
  'authorizations.can': 'Elle peut :',
  'authorizations.identityOnly': 'Elle sait qui vous êtes, et ne peut rien voir ni rien modifier.',
  'authorizations.since': 'Connectée depuis le {date}',
  'authorizations.renewed': 'Accès renouvelé pour la dernière fois : {time}',
  'authorizations.idle':
    'Elle n’a pas d’accès en ce moment, mais peut se connecter à nouveau sans vous le demander.',
  'authorizations.waiting':
    'Vous avez autorisé un appareil qui n’est pas encore venu chercher son accès. Si vous le déconnectez maintenant, il n’en aura aucun.',
  'authorizations.device': 'appareil',
  'authorizations.trusted': 'fait partie de ce site',
  'authorizations.blocked': 'Ce site l’a bloquée : elle ne peut pas utiliser votre compte pour le moment.',
  'authorizations.revoke': 'Déconnecter',
  'authorizations.revokeAll': 'Tout déconnecter…',
  'authorizations.revokeAllMeaning':
    'Toutes les applications et tous les appareils perdent aussitôt leur accès et doivent vous redemander l’autorisation.',
  'authorizations.revokeAllConfirm': 'Oui, tout déconnecter',
  'authorizations.revoked': 'L’application est déconnectée et son accès a pris fin.',
  'authorizations.revokedAll': 'Toutes les applications sont déconnectées et leur accès a pris fin.',
  'authorizations.revokedNamed': '{client} est déconnectée et son accès a pris fin.',
  'authorizations.revokeMeaning':
    'Son accès prend fin aussitôt, et elle devra vous redemander l’autorisation.',
  'authorizations.revokeMeaningTrusted':
    'Son accès prend fin aussitôt. Elle fait partie de ce site et le reçoit à nouveau quand vous l’utilisez.',
  'authorizations.revokeConfirm': 'Oui, déconnecter',
  'authorization.back': 'Toutes les applications connectées',
  'authorization.about': 'À propos de l’application',
  'authorization.renewedAt': 'Accès renouvelé pour la dernière fois',
  'authorization.renewedHow':
    'C’est le moment où elle a reçu des jetons pour la dernière fois ; elle a pu être active depuis.',
  'authorization.connectedSince': 'Connectée depuis',
  'authorization.actsThrough': 'Utilisé à travers',
  'authorization.actedOn': 'en dernier le {day}',
  'authorization.resources': 'Accès à',
  'authorization.scopes': 'Ce qu’elle peut faire',
  'authorization.untick': 'Décochez ce que vous voulez reprendre. Le reste demeure connecté.',
  'authorization.includedIn': 'Compris dans « {scope} » tant qu’elle l’a.',
  'authorization.save': 'Enregistrer',
  'authorization.narrowed': '{client} peut désormais faire moins de choses.',
  'authorization.unchanged': 'Rien n’a été repris.',
  'authorization.changeMeaning': 'Vous pouvez choisir autre chose ici. Elle s’en servira dès lors.',
  'authorization.change': 'Modifier',
  'authorization.rebound': '{client} se sert désormais de ce que vous avez choisi.',
  'authorization.kept': 'Rien n’a été modifié.',
  'authorization.nothingLeft': 'Laissez au moins une case cochée, ou déconnectez l’application ci-dessous.',
  'authorization.trustedScopes': 'Elle fait partie de ce site et obtient tout cela sans rien demander.',
  'authorization.activity': 'Ce qu’elle a fait récemment',
  'authorization.activityMeaning': 'Les 30 derniers jours, le plus récent d’abord.',
  'authorization.noActivity': 'Rien au cours des 30 derniers jours.',
  'authorization.didGetAccess': 'Elle a reçu un accès',
  'authorization.didGiveBack': 'Elle a rendu son accès',
  'authorization.didAllow': 'Vous lui avez accordé une autorisation',
  'authorization.didDeny': 'Vous lui avez refusé une autorisation',
  'authorization.didNarrow': 'Vous lui avez repris une autorisation',
  'authorization.didRebind': 'Vous avez choisi autre chose pour elle',
  'authorization.didReport': 'Vous l’avez signalée',
  'authorization.didReplay': 'Ce qui ne sert qu’une fois a servi deux fois : son accès a pris fin',
  'authorization.didDisconnect': 'Vous l’avez déconnectée',
  'authorization.didEnd': 'Le site a mis fin à son accès',
  'authorization.times': '{count, plural, one {une fois} other {# fois}}',
  'authorization.didThrough': 'à travers {actors}',
  'authorization.from': 'depuis {address}',
  'authorization.report': 'Signaler cette application',
  'authorization.reportMeaning':
    'Fait-elle ce à quoi vous ne vous attendiez pas, ou se fait-elle passer pour une autre ? Ce que vous écrivez est lu par les responsables de ce site, pas par l’application.',
  'authorization.reportLabel': 'Que s’est-il passé ?',
  'authorization.reportSend': 'Envoyer le signalement',
  'authorization.reported': 'Merci. Votre signalement à propos de {client} est envoyé.',
  'authorization.reportEmpty': 'Veuillez écrire ce qui s’est passé.',
  'authorization.reportLong': 'C’est trop long. {count} caractères sont possibles.',
  'authorization.reportMany': 'Vous avez envoyé beaucoup de signalements. Veuillez réessayer dans une heure.',
  'authorization.reportFailed': 'Le signalement n’a pas pu être envoyé. Veuillez réessayer.',
  'authorization.signedIn': 'Connexion en cours',
  'authorization.signedInSince': 'Vous y êtes connecté depuis',
  'authorization.signOut': 'S’y déconnecter',
  'authorization.signOutMeaning':
    'Elle est informée que vous vous êtes déconnecté, et l’accès obtenu par cette connexion prend fin. Vous restez connecté ici.',
  'authorization.signedInFrame': 'Elle est informée quand vous vous déconnectez ici.',
  'authorization.signedOut': '{client} est informée que vous vous y êtes déconnecté.',
  'authorization.signInThere': 'S’y connecter',
  'authorization.disconnect': 'La déconnecter',
  'authorization.gone': 'Elle n’est plus enregistrée ici.',

  'error.client':
    'Vous n’avez rien fait de mal : l’erreur vient de l’application. Retournez-y et réessayez ; si cela se reproduit, transmettez à ses auteurs les détails ci-dessous.',
  'error.site':
    'Vous n’avez rien fait de mal : l’erreur vient de ce site. Veuillez réessayer ; si cela se reproduit, indiquez à ce site le numéro ci-dessous.',
  'error.unknownClient': 'Nous ne connaissons pas cette application',
  'error.unknownClientMessage':
    'L’application qui vous a envoyé ici n’est pas enregistrée sur ce site, ou elle a été supprimée.',
  'error.wrongRequest': 'La demande de l’application est incorrecte',
  'error.wrongRequestMessage':
    'L’application qui vous a envoyé ici a fait une demande que ce site ne peut pas accepter.',
  'error.unauthorizedClientMessage':
    'L’application qui vous a envoyé ici a demandé quelque chose pour quoi elle n’est pas enregistrée.',
  'error.invalidScopeMessage':
    'L’application qui vous a envoyé ici a demandé une autorisation qui n’existe pas ou qu’elle ne peut pas avoir.',
  'error.responseTypeMessage':
    'L’application qui vous a envoyé ici veut se connecter d’une manière que ce site ne propose pas.',
  'error.server': 'Un problème est survenu ici',
  'error.serverMessage': 'Ce site a rencontré un problème.',
  'error.unavailable': 'Veuillez réessayer dans un instant',
  'error.unavailableMessage': 'Ce site ne peut pas répondre pour le moment.',
  'error.unavailableHint':
    'Vous n’avez rien fait de mal et rien n’est perdu : rechargez la page dans quelques secondes.',
  'error.wrongForm': 'Ce formulaire n’a pas pu être lu',
  'error.wrongFormMessage':
    'Ce qui a été envoyé n’est pas ce que notre formulaire envoie : rien n’a été modifié.',
  'error.wrongFormHint': 'Revenez en arrière, rechargez la page et réessayez.',
  'error.insecure': 'Cette page demande une connexion sécurisée',
  'error.insecureMessage':
    'Ce que vous avez envoyé nous est parvenu sans chiffrement (sans https) ; rien n’en a donc été fait.',
  'error.insecureHint':
    'L’adresse commence-t-elle par https: ? Alors l’erreur vient de ce site : prévenez ceux qui s’en occupent.',
  'error.notFound': 'Il n’y a rien ici',
  'error.notFoundMessage': 'Cette page n’existe pas, ou elle appartient à quelqu’un d’autre.',
  'error.notFoundHint': 'Vérifiez l’adresse, et que vous êtes connecté avec le bon compte.',
  'error.conflict': 'Quelqu’un a été plus rapide',
  'error.conflictMessage':
    'La même chose a été modifiée au même moment : votre modification n’a pas été faite.',
  'error.conflictHint': 'Revenez en arrière, rechargez la page et regardez où en sont les choses.',
  'error.tooLarge': 'C’était trop',
  'error.tooLargeMessage':
    'Ce qui a été envoyé dépasse ce que notre formulaire permet : rien n’a été modifié.',
  'error.tooLargeHint': 'Revenez en arrière, raccourcissez et réessayez.',
  'error.tooMany': 'Trop d’essais',
  'error.tooManyMessage': 'Il y a eu trop d’essais en peu de temps. Veuillez patienter {time} et réessayer.',
  'error.tooManyHint': 'Cela protège les comptes et ce site contre les machines qui essaient tout.',
  'error.requestOver': 'Cette demande est terminée',
  'error.requestOverMessage': 'Elle a déjà reçu une réponse, ou elle a attendu trop longtemps.',
  'error.requestOverHint':
    'Revenez à l’application et recommencez à partir de là. Vous n’avez rien fait de mal.',
  'error.denied': 'Accès refusé',
  'error.deniedMessage': 'L’application n’obtient aucun accès à votre compte.',
  'error.unknownClientLink':
    '{site} ne sait pas qui est derrière cette application. Ne continuez que si vous la connaissez.',
  'error.goOn': 'Continuer vers {host}',
  'error.home': 'Vers {site}',
  'error.redirectUriMessage': '« {client} » veut vous envoyer à une adresse qu’elle n’a pas enregistrée ici.',
  'error.redirectUri': 'Adresse demandée',
  'error.ownClient': 'C’est votre application : modifier ses URI de redirection',
  'error.refused': 'Ce n’est pas possible',
  'error.refusedHint': 'Rien n’a été modifié.',
  'error.formOutOfDate':
    'Ce formulaire n’est plus à jour. Ouvrez à nouveau la page et recommencez ce que vous avez fait.',
  'error.notDeveloper': 'Votre compte ne permet pas d’enregistrer des applications sur ce site.',
  'error.trustedApplication':
    'Ce site se porte garant de cette application. Demandez à ses responsables de la modifier.',
  'error.blocked': 'Ce site a bloqué l’application',
  'error.blockedMessage':
    '« {client} » n’obtient ici aucun accès aux comptes ; personne n’y est donc envoyé.',
  'error.blockedHint':
    'Vous n’avez rien à faire. Si elle avait accès à votre compte, cet accès ne fonctionne plus.',
  'error.blockedApplication': 'Ce site a bloqué cette application. Adressez-vous à ses responsables.',
  'error.pending': 'Cette application n’est pas encore approuvée',
  'error.pendingMessage':
    '« {client} » est nouvelle ici. Tant que ce site ne l’a pas approuvée, seul son propriétaire peut l’utiliser.',
  'error.pendingHint':
    'Votre compte n’a pas été touché. Réessayez plus tard, ou adressez-vous à l’auteur de l’application.',
  'error.tokenOnPage':
    'Cette page est destinée aux personnes. Un programme muni d’un jeton d’accès ne peut pas l’utiliser.',
  'error.number': 'Numéro de cette demande : {id}',
  'error.details': 'Détails pour les développeurs',
  'error.code': 'Erreur',
  'error.description': 'Description',
  'error.detail': 'Cause (pour les développeurs)',

  'applications.title': 'Vos applications',
  'applications.register': 'Enregistrer une application',
  'applications.none': 'Pas encore d’applications',
  'applications.noneMessage':
    'Enregistrez une application pour que chacun puisse la relier à son compte sur {site}. Elle reçoit son propre identifiant et demande l’accord des gens avant de voir quoi que ce soit.',
  'applications.registeredOn': 'enregistrée le {date}',
  'applications.confidential': 'confidentielle',
  'applications.public': 'publique',
  'applications.saved': 'Vos modifications sont enregistrées.',
  'applications.savedWaits':
    'Vos modifications sont enregistrées. L’application attend de nouveau l’approbation : d’ici là, seuls ses propriétaires peuvent lui donner accès.',
  'applications.savedUnverified':
    'Vos modifications sont enregistrées. L’application n’est plus vérifiée : ce site devra la vérifier de nouveau.',
  'applications.deleted': 'L’application est supprimée et tous ses accès ont pris fin.',
  'applications.registeredBefore':
    'Cette application était déjà enregistrée : le formulaire a été envoyé deux fois.',
  'applications.lostSecret':
    'Son secret n’a été affiché qu’une fois. Si vous ne l’avez pas, créez-en un nouveau ci-dessous.',
  'applications.rotatedBefore':
    'Un nouveau secret a été créé il y a un instant : le formulaire a été envoyé deux fois, et aucun autre n’a été créé. Si vous ne l’avez pas, créez-en un nouveau ci-dessous.',
  'applications.tooMany':
    'Vous avez {count, plural, one {# application} other {# applications}}, et il ne peut pas y en avoir plus : supprimez-en une dont vous n’avez pas besoin.',
  'applications.lists': 'Listes d’applications',
  'applications.all': 'Toutes les applications',
  'applications.selfRegistered': 'Enregistrées d’elles-mêmes',
  'applications.noneHere': 'Il n’y a aucune application ici.',
  'applications.next': 'Applications plus anciennes',
  'applications.listWaiting': 'En attente d’approbation',
  'applications.listBlocked': 'Bloquées',
  'applications.listUnverified': 'Non vérifiées',
  'applications.listVerified': 'Vérifiées',
  'applications.listUnused': 'Enregistrées d’elles-mêmes, jamais utilisées',
  'applications.previous': 'Applications plus récentes',
  'applications.search': 'Chercher par nom, identifiant de client ou hôte',
  'applications.searchAll':
    'Chercher dans toutes les applications par le début du nom, de l’identifiant de client, de l’hôte ou du propriétaire',
  'applications.found': 'Trouvées : {count}',
  'applications.foundPart': 'Il y en a plus que ces {count} : saisissez-en davantage.',
  'applications.noneFound': 'Aucune application ne commence ainsi.',
  'applications.first': 'Retour aux plus récentes',
  'applications.users': 'Utilisateurs : {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'dernière utilisation le {date}',
  'applications.notUsed': 'pas utilisée récemment',
  'applications.notUsedYet': 'pas encore utilisée',
  'applications.owner': 'Propriétaire : {owner}',
  'applications.noOwner': 'enregistrée par ce site',
  'applications.itself': 'enregistrée d’elle-même',
  'applications.verified': 'vérifiée',
  'applications.oldSecretEnded':
    'L’ancien secret ne fonctionne plus. Seul le secret actuel est désormais valable.',
  'applications.changedMeanwhile':
    'L’application a été modifiée après l’ouverture de la page, rien n’a donc été fait. Voici son état actuel.',
  'applications.nowVerified': 'L’application est vérifiée. C’est indiqué lorsqu’elle demande un accès.',
  'applications.nowUnverified': 'L’application n’est plus vérifiée.',
  'applications.everyoneDisconnected':
    'Tout le monde est déconnecté et tous les accès ont pris fin. L’application reste et peut être autorisée à nouveau.',
  'applications.blocked': 'bloquée',
  'applications.nowBlocked': 'L’application est bloquée. Elle n’obtient plus rien désormais.',
  'applications.nowUnblocked':
    'L’application n’est plus bloquée. Ce qui lui a été autorisé fonctionne à nouveau.',
  'applications.awaitsApproval': 'en attente d’approbation',
  'applications.nowApproved': 'L’application est approuvée. Tout le monde peut maintenant l’utiliser.',
  'applications.deletedBefore':
    'L’application est supprimée. Le formulaire a été envoyé deux fois, sans conséquence.',

  'application.edit': 'Modifier',
  'application.secretNow': 'Copiez le secret du client maintenant',
  'application.secretOnce':
    'Il n’est affiché que cette fois. Gardez-le sur votre serveur, hors de votre code, des applications et des navigateurs.',
  'application.details': 'Détails',
  'application.clientId': 'Identifiant du client',
  'application.type': 'Type',
  'application.trusted': 'ce site s’en porte garant',
  'application.redirectUris': 'URI de redirection',
  'application.noRedirectUris': 'aucune',
  'application.mayAskFor': 'Peut demander',
  'application.asksForNothing': 'seulement à savoir qui est une personne',
  'application.getsAccessBy': 'Obtient l’accès par',
  'application.registered': 'Enregistrée',
  'application.authorizationEndpoint': 'Point d’autorisation',
  'application.tokenEndpoint': 'Point de jetons',
  'application.secret': 'Secret du client',
  'application.secretMade': 'Créé le {time}',
  'application.secretEnds': 'Créé le {time}, valable jusqu’au {end}',
  'application.secretCurrent': 'actuel',
  'application.secretEnding': 'se termine par {ending}',
  'application.secretUsed': 'dernière utilisation le {date}',
  'application.secretUnused': 'pas encore utilisé',
  'application.secretUseUnknown': 'dernière utilisation inconnue',
  'application.oldSecretUsed': 'L’ancien secret a été utilisé pour la dernière fois le {date}.',
  'application.oldSecretUnused': 'L’ancien secret n’a jamais été utilisé.',
  'application.oldSecretUnknown': 'On ne sait pas quand l’ancien secret a été utilisé pour la dernière fois.',
  'application.rotateOverlap':
    'Un nouveau secret remplace l’actuel, qui reste valable {span} pour que vous puissiez en changer sans interruption.',
  'application.rotateAtOnce': 'Un nouveau secret remplace aussitôt l’actuel.',
  'application.rotate': 'Créer un nouveau secret',
  'application.nobody': 'Personne ne l’utilise en ce moment.',
  'application.people': '{count, plural, one {# personne l’utilise.} other {# personnes l’utilisent.}}',
  'application.peopleAtLeast': 'Au moins {count} personnes l’utilisent.',

  'failures.title': 'Refusé au cours du dernier jour',
  'failures.lead':
    'Ce que ce site a refusé à cette application au cours des dernières 24 heures, et pourquoi. Quiconque connaît l’ID client peut en causer une partie.',
  'failures.wrong_client_secret':
    'Le secret du client était faux. Vérifiez que votre serveur a bien le plus récent.',
  'failures.client_secret_missing':
    'Aucun secret du client n’a été envoyé. Envoyez-le par HTTP Basic, ou comme client_secret dans le corps.',
  'failures.wrong_authentication_method':
    'Elle a prouvé son identité autrement que ce qui est enregistré pour elle.',
  'failures.wrong_assertion_signature':
    'La signature de la client assertion ne correspond à aucune de ses clés. Vérifiez la clé, son kid et l’algorithme.',
  'failures.assertion_expired':
    'La client assertion avait expiré. Faites-en une nouvelle pour chaque requête, et vérifiez votre horloge.',
  'failures.assertion_used': 'La client assertion avait déjà servi. Donnez à chacune son propre jti.',
  'failures.assertion_invalid': 'Un claim de la client assertion était faux. La réponse dit lequel.',
  'failures.client_keys_missing':
    'Il n’y a aucune clé pour vérifier la client assertion. Enregistrez-en une, ou créez un nouveau secret.',
  'failures.client_keys_unavailable':
    'Ses clés n’ont pas pu être lues à son jwks_uri. Veillez à ce qu’il réponde vite, par un jeu de clés.',
  'failures.client_certificate_missing':
    'Elle n’a présenté aucun certificat. Envoyez ses requêtes en TLS mutuel, et aux adresses prévues pour cela (mtls_endpoint_aliases) s’il y en a.',
  'failures.client_certificate_untrusted':
    'Son certificat a expiré, n’est pas encore valable ou vient d’une autorité qui n’est pas reconnue ici. Prenez-en un nouveau, avec toute sa chaîne.',
  'failures.client_certificate_wrong':
    'Son certificat n’est pas celui avec lequel elle est enregistrée. Vérifiez le nom qu’il contient, ou enregistrez le nouveau certificat.',
  'failures.client_blocked': 'Elle est bloquée. Adressez-vous aux personnes qui gèrent ce site.',
  'failures.client_not_approved':
    'Elle attend d’être approuvée. D’ici là, seul son propriétaire peut l’utiliser.',
  'failures.rate_limited':
    'Elle a demandé trop souvent, ou s’est trompée trop souvent. Attendez le temps indiqué par Retry-After.',
  'failures.public_client':
    'C’est un client public : elle n’a pas de secret à envoyer et n’obtient pas d’accès pour elle-même.',
  'failures.introspection_not_registered':
    'Elle ne peut pas demander ce que vaut un jeton. Les personnes qui gèrent ce site peuvent le permettre.',
  'failures.grant_type_unsupported': 'Ce site ne connaît pas le grant_type. Vérifiez son orthographe.',
  'failures.grant_type_not_registered':
    'Elle n’est pas enregistrée pour le grant_type. Choisissez-le sous « Modifier » s’il est proposé.',
  'failures.response_type_unsupported':
    'Ce site ne propose pas le response_type. Envoyez response_type=code.',
  'failures.response_type_not_registered': 'Elle n’est pas enregistrée pour le response_type.',
  'failures.response_mode_unsupported': 'Le response_mode ne va pas avec le response_type. Ne l’envoyez pas.',
  'failures.redirect_uri_missing':
    'Elle a plusieurs URI de redirection et n’en a envoyé aucune. Envoyez la bonne comme redirect_uri.',
  'failures.redirect_uri_mismatch':
    'La redirect_uri n’est aucune de celles ci-dessus. Elle doit être la même au caractère près.',
  'failures.redirect_uri_not_registered':
    'Elle n’a aucune URI de redirection. Ajoutez-en une sous « Modifier ».',
  'failures.signing_required':
    'La requête n’était pas signée, et elle doit l’être. Envoyez-la comme request object (RFC 9101).',
  'failures.request_object_invalid':
    'Le request object était incorrect : sa signature, son heure ou son contenu. L’erreur le précise.',
  'failures.request_uri_unusable':
    'Le request object n’a pas pu être obtenu à la request_uri : elle n’est pas enregistrée, n’a pas répondu ou a répondu autre chose. L’erreur le précise.',
  'failures.dpop_proof_missing': 'La preuve de la clé (DPoP) manquait. Envoyez-la avec chaque requête.',
  'failures.dpop_proof_invalid':
    'La preuve de la clé (DPoP) était incorrecte : sa signature, son heure ou l’adresse qu’elle contient. L’erreur le précise.',
  'failures.key_mismatch':
    'Un jeton ou un code était lié à une autre clé que celle de la preuve. Utilisez la clé avec laquelle il a été demandé.',
  'failures.request_too_large':
    'La requête était trop longue. Raccourcissez state, ou demandez moins d’autorisations.',
  'failures.parameter_missing': 'Il manquait un paramètre. La réponse dit lequel.',
  'failures.parameter_malformed':
    'Un paramètre était répété, ou n’était pas du simple texte. La réponse dit lequel.',
  'failures.parameter_unsupported':
    'Ce site ne prend pas en charge l’un des paramètres. La réponse dit lequel : ne l’envoyez pas.',
  'failures.pushing_required':
    'La requête doit d’abord être envoyée au point d’accès des pushed authorization requests.',
  'failures.prompt_invalid': 'Dans prompt, none accompagnait une autre valeur. Envoyez none seul.',
  'failures.login_required':
    'Personne n’était connecté, ou la personne n’avait encore rien autorisé à cette application, et avec prompt=none on ne peut rien demander à personne. Redemandez sans lui.',
  'failures.consent_required':
    'La personne ne l’avait pas encore autorisé, et avec prompt=none on ne peut rien demander à personne. Redemandez sans lui.',
  'failures.denied_by_user': 'Des personnes ont dit non. Demandez moins, et dites avant à quoi cela sert.',
  'failures.pkce_missing':
    'Aucun code_challenge n’a été envoyé. Utilisez PKCE avec code_challenge_method=S256.',
  'failures.pkce_method_unsupported': 'Le code_challenge_method doit être S256.',
  'failures.pkce_malformed': 'Le code_challenge n’est pas la forme base64url d’un hachage SHA-256.',
  'failures.pkce_mismatch':
    'Le code_verifier ne correspond pas au code_challenge. Gardez-le avec la requête jusqu’à l’échange de son code.',
  'failures.scope_malformed':
    'Le scope était vide, ou avait des caractères qu’aucune autorisation n’a. Séparez les autorisations par une espace.',
  'failures.scope_unknown': 'Cette autorisation n’existe pas. Vérifiez son orthographe.',
  'failures.scope_not_registered':
    'Elle ne peut pas demander cette autorisation. Choisissez-la sous « Modifier » si elle est proposée.',
  'failures.scope_not_granted':
    'En renouvelant, elle a demandé une autorisation que la personne n’avait pas donnée. N’envoyez pas scope.',
  'failures.resource_missing': 'Ce site veut savoir pour quelle ressource. Nommez-la par resource.',
  'failures.resource_unknown': 'Ce site ne connaît pas la resource.',
  'failures.resource_not_granted':
    'La resource n’était pas autorisée. Nommez-la dès la demande d’autorisation.',
  'failures.resource_ambiguous':
    'Plusieurs ressources étaient autorisées, et un jeton est pour une seule. Nommez-la par resource.',
  'failures.resource_without_scopes': 'Aucune des autorisations n’appartient à la resource.',
  'failures.authorization_details_invalid':
    'Les authorization_details sont mal formés, d’un type inconnu ici, ou ont des champs manquants ou inconnus.',
  'failures.authorization_details_not_registered':
    'Elle n’est pas enregistrée pour un type de ces authorization_details.',
  'failures.authorization_details_not_granted':
    'Les authorization_details vont au-delà de ce qui a été autorisé. Demandez ce qui a été autorisé, ou ne les envoyez pas.',
  'failures.code_unknown':
    'Ce code n’existe pas, ou plus depuis longtemps. Échangez-le aussitôt, sans le changer.',
  'failures.code_expired': 'Le code avait expiré. Échangez-le aussitôt.',
  'failures.code_used':
    'Le code a été échangé une seconde fois, ce qui a mis fin à son accès. Échangez un code une seule fois.',
  'failures.code_revoked':
    'La personne avait mis fin à l’accès que le code donnait. Renvoyez-la faire sa demande.',
  'failures.code_of_other_client':
    'Le code était pour une autre application. Vérifiez quel ID client votre serveur utilise.',
  'failures.code_redirect_uri_mismatch':
    'La redirect_uri n’est pas celle de la demande d’autorisation. Envoyez la même avec le code.',
  'failures.refresh_token_unknown':
    'Ce refresh token n’existe pas, ou plus depuis longtemps. Renvoyez la personne faire sa demande.',
  'failures.refresh_token_expired': 'Le refresh token avait expiré. Renvoyez la personne faire sa demande.',
  'failures.refresh_token_reused':
    'Un refresh token a servi une seconde fois, ce qui a mis fin à l’accès. Gardez chaque fois le nouveau, et ne renouvelez jamais deux fois en même temps.',
  'failures.refresh_token_revoked': 'L’accès avait pris fin. Renvoyez la personne faire sa demande.',
  'failures.access_ended':
    'L’accès était terminé : la personne l’avait autorisé pour cette durée. Envoyez-la l’autoriser à nouveau.',
  'failures.choice_lost':
    'Ce que la personne avait choisi n’est plus à elle, un espace qu’elle a quitté par exemple. Envoyez-la autoriser à nouveau.',
  'failures.device_code_unknown':
    'Ce code d’appareil n’existe pas, ou est pour une autre application. Recommencez.',
  'failures.device_code_expired':
    'Le code d’appareil a expiré avant que quelqu’un ne l’autorise. Recommencez.',
  'failures.device_code_used':
    'Le code d’appareil a servi une seconde fois, ce qui a mis fin à son accès. Ne demandez plus dès que vous avez les jetons.',
  'failures.device_code_revoked': 'L’accès de l’appareil avait pris fin. Recommencez.',
  'failures.token_of_other_client':
    'Le jeton était pour une autre application. Vérifiez quel ID client votre serveur utilise.',
  'failures.token_not_revocable':
    'Ce jeton ne peut pas être retiré. Il expire de lui-même quelques minutes après son émission.',
  'failures.subject_token_invalid':
    'Un jeton qu’elle voulait échanger était inconnu, expiré, retiré ou lié à une autre clé.',
  'failures.exchange_not_allowed':
    'Elle ne peut pas échanger ce jeton : il lui faut mayExchange, et le jeton doit être le sien, pour une ressource à elle, ou transmis par un client qui la nomme dans mayAct.',
  'failures.exchange_too_deep': 'Le jeton vient déjà de trop d’échanges.',
  'failures.issuer_not_trusted': 'Ce site ne fait pas confiance à l’émetteur de l’assertion.',
  'failures.subject_not_trusted': 'Ce site fait confiance à l’émetteur de l’assertion, mais pas à ce sujet.',
  'failures.wrong_password': 'Le nom d’utilisateur ou le mot de passe était faux.',
  'failures.refused_by_policy':
    'Une règle de ce site l’a refusée. La réponse dit laquelle, si le site le révèle.',
  'failures.too_many_grants': 'L’application a autant d’autorisations qu’elle peut en avoir à la fois.',
  'failures.other': 'Elle a été refusée pour une autre raison. La réponse en dit plus.',

  'application.disconnect': 'Déconnecter tout le monde',
  'application.disconnectMeaning':
    'Si un secret ou des jetons sont tombés en de mauvaises mains : tous les accès prennent fin aussitôt, et l’application reste. Créez d’abord un nouveau secret.',
  'application.disconnectTokens':
    'Si des jetons sont tombés en de mauvaises mains : tous les accès prennent fin aussitôt, et l’application reste.',
  'application.disconnectButton': 'Déconnecter tout le monde…',
  'application.disconnectHeading': 'Déconnecter tout le monde de {client} ?',
  'application.disconnectLead':
    'Tous ses jetons prennent fin aussitôt, y compris ceux qu’elle a pour elle-même, et ce qu’on lui avait permis est oublié. Qui veut l’utiliser devra l’autoriser à nouveau. C’est irréversible.',
  'application.delete': 'Supprimer cette application',
  'application.deleteMeaning':
    'Toutes les personnes qui l’utilisent sont aussitôt déconnectées. C’est irréversible.',
  'application.deleteButton': 'Supprimer…',
  'application.deleteHeading': 'Supprimer {client} ?',
  'application.deleteLead':
    'Toutes les personnes qui l’utilisent sont aussitôt déconnectées : ses jetons prennent fin et ce qu’on lui avait permis est oublié. C’est irréversible.',
  'application.keep': 'La garder',
  'application.deleteConfirm': 'Supprimer',
  'application.copy': 'Copier',
  'application.copied': 'Copié',
  'application.copyByHand': 'Sélectionné : copiez-le avec le clavier ou le menu',
  'application.users': 'Utilisateurs',
  'application.lastUsed': 'Dernière utilisation',
  'application.owner': 'Propriétaire',
  'application.authentication': 'S’identifie par',
  'application.bySecret': 'secret du client',
  'application.byKeys': 'clés publiques',
  'application.byCertificate': 'certificat',
  'application.bySvid': 'attesté par sa plateforme',
  'application.byNothing': 'rien (publique)',
  'application.refreshTokens': 'Refresh tokens',
  'application.refreshTokensStay': 'restent les mêmes à chaque utilisation',
  'application.keys': 'Clés',
  'application.keysHere': 'Ses signatures sont vérifiées avec ces clés publiques :',
  'application.keysThere': 'Ses signatures sont vérifiées avec les clés publiques de {address}.',
  'application.keysChange': 'Pour les changer, modifiez l’application.',
  'application.endOld': 'Mettre fin à l’ancien secret',
  'application.endOldMeaning':
    'Une fois que tout chez vous utilise le secret actuel, mettez fin à l’ancien. Ce qui l’utilise encore sera refusé aussitôt.',
  'application.try': 'L’essayer',
  'application.tryMeaning':
    'Voyez la page de consentement de cette application comme les autres la voient, avec tout ce qu’elle peut demander. Si vous l’autorisez, elle est connectée à votre propre compte et vous pouvez la déconnecter ensuite.',
  'application.tryOpen': 'Ouvrir la page de consentement dans un nouvel onglet',
  'application.tryBack':
    'Ensuite votre navigateur va à {uri}, avec un code dans l’adresse. Votre application ne l’a pas demandé et le refusera, comme il se doit : copiez le code depuis l’adresse. Si une application en marche redirige à partir de là, arrêtez-la un instant.',
  'application.tryRedeem':
    'En moins de {span}, ces lignes donnent des jetons pour le code. Elles vont avec le lien de cette page : si vous la rechargez, les deux sont nouveaux.',
  'application.tryStepByStep': 'L’essayer pas à pas',
  'application.code': 'Code à copier',
  'application.codeMeaning':
    'Avec les valeurs de cette application. Les secrets n’y figurent pas : ils viennent de l’environnement.',
  'application.verification': 'Vérification',
  'application.isVerified':
    'Ce site déclare savoir qui est derrière cette application : elle apparaît comme vérifiée lorsqu’elle demande un accès. Si son propriétaire change le nom, les URI de redirection, les clés ou la description, lui permet de demander davantage ou d’obtenir l’accès par d’autres moyens, ou indique une page ou un logo sur un autre hôte, ce n’est plus le cas. Ce n’est plus le cas non plus si quelqu’un d’autre en devient propriétaire.',
  'application.isUnverified':
    'Lorsqu’elle demande un accès, il est signalé que personne n’a vérifié qui est derrière cette application. Vérifiez-la si vous savez qui l’a faite et si son nom et ses URI de redirection lui appartiennent bien.',
  'application.isSelfRegistered':
    'Elle s’est enregistrée d’elle-même : tout ce qu’elle dit d’elle, à commencer par son nom, n’engage qu’elle. Une fois vérifiée, elle ne peut plus se modifier.',
  'application.verify': 'Vérifier',
  'application.unverify': 'Retirer la vérification',
  'application.changedSince': 'Modifié depuis que ce site l’a examinée pour la dernière fois :',
  'application.isBlocked': 'Ce site a bloqué l’application.',
  'application.blockedSince': 'Elle n’obtient plus rien depuis : {time}.',
  'application.blockedFor': 'Motif :',
  'application.blockedHint':
    'Ce qui lui a été autorisé est conservé. Seuls les responsables du site peuvent la débloquer, la modifier ou la supprimer.',
  'application.block': 'Bloquer cette application',
  'application.blockMeaning':
    'Dès cet instant elle n’obtient plus rien et ses jetons cessent de fonctionner. Ce qui lui a été autorisé est conservé ; vous pourrez donc revenir en arrière.',
  'application.blockReason': 'Motif (facultatif)',
  'application.blockReasonHint': 'Le propriétaire de l’application le lit.',
  'application.blockButton': 'Bloquer',
  'application.blockedHeading': 'Bloquée',
  'application.unblockMeaning':
    'Dès qu’elle sera débloquée, tout ce qui lui a été autorisé fonctionnera à nouveau.',
  'application.unblock': 'Débloquer',
  'application.awaitsApproval': 'En attente d’approbation',
  'application.approveMeaning':
    'Tant que vous ne l’approuvez pas, seul son propriétaire peut lui donner accès. Regardez d’abord son nom, ses URI de redirection, ce qu’elle peut demander et comment elle obtient l’accès.',
  'application.approve': 'Approuver',
  'application.awaitsApprovalHint':
    'L’application attend l’approbation des responsables de ce site. D’ici là, vous seul pouvez lui donner accès, pour l’essayer.',
  'application.deleteType': 'Pour confirmer, saisissez son nom : {client}',
  'application.deleteTypeOr': 'Son identifiant de client convient aussi : {id}',
  'application.deleteMismatch': 'Ce n’est pas son nom, rien n’a donc été supprimé.',

  'owners.title': 'Propriétaires',
  'owners.meaning':
    'Chaque propriétaire peut tout faire ici : modifier l’application, créer de nouveaux secrets, la supprimer.',
  'owners.you': 'vous',
  'owners.remove': 'Retirer…',
  'owners.leave': 'La quitter…',
  'owners.invited': 'Invitations',
  'owners.waits': 'peut accepter jusqu’au {date}',
  'owners.waitsToTake': 'peut la reprendre jusqu’au {date}',
  'owners.withdraw': 'Retirer',
  'owners.invite': 'Inviter quelqu’un',
  'owners.person': 'Nom d’utilisateur ou adresse e-mail',
  'owners.personMeaning':
    'Vous ne saurez pas si cette personne existe ici. Si c’est le cas, elle trouvera l’invitation sur sa page d’applications et aura sept jours pour l’accepter.',
  'owners.as': 'À quel titre',
  'owners.asOwner': 'Un propriétaire de plus',
  'owners.asTransfer': 'Propriétaire à ma place',
  'owners.asTransferMeaning':
    'Dès l’acceptation, vous n’êtes plus propriétaire. Les autres propriétaires le restent.',
  'owners.verifiedEnds':
    'Ce site a vérifié l’application ; cela prend fin dès l’acceptation, et le site devra la vérifier de nouveau.',
  'owners.approvalEnds':
    'Dès l’acceptation, l’application attendra de nouveau l’approbation. D’ici là, seuls ses propriétaires pourront lui donner accès.',
  'owners.inviteButton': 'Inviter',
  'owners.missing': 'Indiquez de qui il s’agit.',
  'owners.tooLong': 'Cela dépasse 200 caractères.',
  'owners.already': 'Cette personne est déjà propriétaire.',
  'owners.tooManyOwners': 'L’application a autant de propriétaires qu’elle peut en avoir.',
  'owners.tooManyInvitations':
    'Cinq invitations sont déjà en attente. Retirez-en une ou attendez une réponse.',
  'owners.tooManyApplications':
    'Vous avez autant d’applications que possible. Quittez-en ou supprimez-en une d’abord.',
  'owners.nowInvited': 'Si cette personne existe ici, elle trouvera l’invitation sur sa page d’applications.',
  'owners.nowWithdrawn': 'L’invitation est retirée.',
  'owners.nowAccepted': 'Vous êtes maintenant propriétaire de cette application.',
  'owners.nowDeclined': 'L’invitation est refusée.',
  'owners.nowRemoved':
    'Le propriétaire est retiré. S’il connaît un secret de l’application, créez-en un nouveau.',
  'owners.nowLeft': 'Vous n’êtes plus propriétaire de l’application.',
  'owners.last': 'Personne d’autre n’est propriétaire de l’application. Cédez-la ou supprimez-la.',
  'owners.gone': 'Cette invitation n’existe plus.',
  'owners.invitations': 'Invitations',
  'owners.toJoin': 'Vous êtes invité à en devenir propriétaire.',
  'owners.toTake': 'On souhaite vous la céder.',
  'owners.askedBy': 'Invitation de {person}.',
  'owners.until': 'Vous pouvez accepter jusqu’au {date}.',
  'owners.joinHeading': 'Devenir propriétaire de {client} ?',
  'owners.takeHeading': 'Reprendre {client} ?',
  'owners.acceptMeaning':
    'Les propriétaires répondent de ce que fait une application. Acceptez seulement si vous connaissez l’application et la personne qui vous invite.',
  'owners.accept': 'Accepter',
  'owners.decline': 'Refuser',
  'owners.removeHeading': 'Retirer {person} de {client} ?',
  'owners.removeMeaning': 'Cette personne ne pourra plus voir ni modifier l’application.',
  'owners.removeSecret': 'Si elle connaît le secret, créez-en un nouveau ensuite.',
  'owners.removeConfirm': 'Retirer',
  'owners.leaveHeading': 'Quitter {client} ?',
  'owners.leaveMeaning':
    'Vous ne pourrez plus la voir ni la modifier, sauf si un autre propriétaire vous invite de nouveau.',
  'owners.leaveConfirm': 'La quitter',

  'form.edit': 'Modifier {client}',
  'form.notSaved': 'Rien n’est encore enregistré.',
  'form.pleaseLook': 'Veuillez vérifier ceci :',
  'form.name': 'Nom',
  'form.nameMeaning': 'Il est affiché quand votre application demande un accès.',
  'form.kind': 'Quel genre d’application est-ce ?',
  'form.technical': 'Réglages techniques',
  'form.kind.web': 'Application web',
  'form.kind.web.meaning': 'Fonctionne sur votre serveur',
  'form.kind.browser': 'Application de navigateur',
  'form.kind.browser.meaning': 'Fonctionne dans la page, sans serveur',
  'form.kind.native': 'Application mobile ou de bureau',
  'form.kind.native.meaning': 'Fonctionne sur l’appareil de l’utilisateur',
  'form.kind.device': 'Appareil',
  'form.kind.device.meaning': 'N’a pas de navigateur : un code est saisi ailleurs',
  'form.kind.service': 'Service',
  'form.kind.service.meaning': 'Agit pour lui-même, sans utilisateur',
  'application.asksNothing': 'Elle ne peut encore rien demander',
  'application.asksNothingMeaning':
    'Aucune autorisation n’est cochée pour cette application : les utilisateurs ne peuvent donc rien lui accorder. Modifiez-la et cochez ce qu’elle peut demander.',
  'form.type': 'Type',
  'form.confidential': 'Confidentielle',
  'form.confidentialMeaning':
    'Fonctionne sur un de vos serveurs et peut y garder un secret. Elle reçoit un secret de client.',
  'form.public': 'Publique',
  'form.publicMeaning':
    'Fonctionne sur les appareils des gens, comme application ou dans le navigateur, où aucun secret n’est à l’abri. Elle n’en reçoit pas.',
  'form.redirectUris': 'URI de redirection',
  'form.redirectUrisMeaning':
    'Là où les gens retournent, une par ligne, chacune en entier : {web}. Pour les applications aussi {loopback} (tout port) ou {scheme}.',
  'form.scopes': 'Ce qu’elle peut demander',
  'form.grantTypes': 'Comment elle obtient l’accès',
  'form.register': 'Enregistrer',
  'form.save': 'Enregistrer les modifications',
  'form.cancel': 'Annuler',
  'form.outOfDate':
    'Cette page est restée ouverte trop longtemps, rien n’est donc encore enregistré. Ce que vous avez saisi est toujours là : relisez-le et envoyez-le à nouveau.',
  'form.loggedOut': 'Votre session est terminée',
  'form.loggedOutLead':
    'Rien n’est encore enregistré et rien n’est perdu : ce que vous avez saisi attend sur cette page.',
  'form.loggedOutLink': 'Se connecter dans un autre onglet',
  'form.loggedOutAfter':
    'Revenez ensuite à cet onglet et envoyez-le à nouveau. Vous pourrez tout relire avant l’enregistrement.',
  'form.sendAgain': 'Envoyer à nouveau',
  'form.line': 'Ligne {line}',
  'form.authentication': 'Comment elle prouve que c’est bien elle',
  'form.bySecret': 'Par un secret du client',
  'form.bySecretMeaning': 'Un long mot de passe aléatoire, créé ici et affiché une seule fois.',
  'form.byKeys': 'Par des clés saisies ici',
  'form.byKeysMeaning':
    'Elle signe avec sa clé privée (private_key_jwt), et vous saisissez ici la clé publique. Rien de secret n’est conservé ici.',
  'form.byKeysAddress': 'Par des clés à une adresse',
  'form.byKeysAddressMeaning':
    'De même, mais avec les clés publiques sur votre propre serveur (jwks_uri), où vous pouvez les changer à tout moment.',
  'form.jwks': 'Clés publiques',
  'form.jwksMeaning': 'Un jeu de clés en JSON : {example}. Jamais une clé privée.',
  'form.jwksUri': 'Adresse des clés publiques',
  'form.jwksUriMeaning': 'Par exemple {example}. Elle est lue lorsque l’application demande des jetons.',
  'form.newSecretMeaning':
    'Si elle avait des clés, elle reçoit un nouveau secret, affiché une seule fois à la page suivante.',
  'form.about': 'Plus sur l’application',
  'form.aboutMeaning':
    'Tout ceci peut rester vide. Les gens voient les pages et le logo s’ils sont sur l’hôte d’une URI de redirection, et partout dès que ce site a vérifié l’application.',
  'form.aboutVerified':
    'Cette application est vérifiée. Elle devra l’être à nouveau si vous changez son nom, une URI de redirection, la façon dont elle prouve que c’est bien elle ou sa description, si vous lui permettez de demander davantage ou d’obtenir l’accès par d’autres moyens, ou si vous indiquez une page ou un logo sur un autre hôte.',
  'form.approvalEnds':
    'Cette application attendra de nouveau l’approbation si vous changez son nom, une URI de redirection, la façon dont elle prouve que c’est bien elle ou sa description, si vous lui permettez de demander davantage ou d’obtenir l’accès par d’autres moyens, ou si vous indiquez une page ou un logo sur un autre hôte. D’ici là, seuls ses propriétaires pourront lui donner accès.',
  'form.description': 'Description',
  'form.descriptionMeaning':
    'À quoi elle sert, en une ou deux phrases. Les gens la voient dès que l’application est vérifiée.',
  'form.logoUri': 'Logo',
  'form.logoUriMeaning': 'L’adresse d’une image carrée, par exemple {example}.',
  'form.pageMeaning': 'Par exemple {example}.',

  'grantType.authorization_code': 'Demander l’accès aux utilisateurs',
  'grantType.authorization_code.meaning':
    'Les utilisateurs viennent ici depuis l’application, l’autorisent et y retournent. C’est ce qu’il faut à la plupart des applications.',
  'grantType.refresh_token': 'Rester reliée',
  'grantType.refresh_token.meaning':
    'L’application garde son accès après le départ de la personne, jusqu’à ce qu’il lui soit retiré.',
  'grantType.client_credentials': 'Agir pour elle-même',
  'grantType.client_credentials.meaning':
    'L’application obtient son propre accès, sans personne. Applications confidentielles seulement.',
  'grantType.implicit': 'Demander l’accès aux utilisateurs, sans code (ancien)',
  'grantType.implicit.meaning':
    'Ancien, pour les applications qui ne peuvent pas faire autrement : les jetons passent par la barre d’adresse du navigateur.',
  'grantType.password': 'Demander les mots de passe (ancien)',
  'grantType.password.meaning':
    'Ancien, pour les applications qui ne peuvent pas faire autrement : elles voient les mots de passe des gens.',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange': 'Échanger des jetons',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange.meaning':
    'Agit pour des personnes à travers une autre application.',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer': 'Échanger des assertions',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer.meaning':
    'Obtient un accès par un jeton d’une plateforme à laquelle ce site fait confiance.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Connecter des appareils',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'Pour les téléviseurs, les imprimantes et les lignes de commande : les gens saisissent un code court sur un autre appareil et y donnent leur accord.',

  'problem.nameMissing': 'L’application a besoin d’un nom.',
  'problem.nameTooLong': 'Le nom dépasse {max, plural, one {# caractère} other {# caractères}}.',
  'problem.nameInvisible': 'Le nom contient des caractères invisibles ou de contrôle.',
  'problem.nameMarks': 'Le nom a trop de signes au-dessus ou au-dessous d’une lettre.',
  'problem.namePicture': 'Le nom contient un emoji, une coche ou un autre pictogramme.',
  'problem.nameSentence': 'Le nom contient une phrase. Un nom suffit.',
  'problem.nameScripts': 'Un mot du nom mélange des lettres de plusieurs écritures.',
  'problem.nameReserved':
    'On pourrait prendre ce nom pour {name}. Choisissez-en un qui ne prête pas à confusion.',
  'problem.nameBadge':
    '« {word} » est ce que ce site dit d’une application : aucune ne peut s’appeler ainsi.',
  'problem.descriptionTooLong':
    'La description dépasse {max, plural, one {# caractère} other {# caractères}}.',
  'problem.descriptionInvisible': 'La description contient des caractères invisibles ou de contrôle.',
  'problem.typeUnknown': 'Le type est soit confidentielle, soit publique.',
  'problem.publicCredentials':
    'Une application publique ne peut pas agir pour elle-même : elle n’a rien pour s’identifier.',
  'problem.redirectUriMissing':
    'Il faut au moins une URI de redirection, par exemple https://app.example/callback.',
  'problem.redirectUriUnused':
    'Aucun des moyens choisis n’utilise d’URI de redirection. Retirez-les ou choisissez-en un qui en utilise.',
  'problem.redirectUriTooMany': 'Il y a plus de {max} URI de redirection.',
  'problem.uriTooLong': 'Elle dépasse {max, plural, one {# caractère} other {# caractères}}.',
  'problem.uriCharacters': 'Elle contient une espace ou un autre caractère à encoder en pourcentage.',
  'problem.uriWildcard':
    'Elle contient un *. Les URI de redirection sont comparées exactement, sans joker : saisissez-les toutes.',
  'problem.uriNotAbsolute': 'Ce n’est pas une adresse complète, comme https://app.example/callback.',
  'problem.uriNoScheme':
    'Elle ne commence par aucun schéma. Écrivez https://app.example/callback avec https:// devant.',
  'problem.uriSchemeCharacter':
    'Son schéma contient {character}. Un schéma n’a que des lettres, des chiffres, « + », « - » et « . », et commence par une lettre.',
  'problem.uriFragment': 'Elle contient un fragment (#…), ce qu’une URI de redirection ne peut pas avoir.',
  'problem.uriScheme': 'Une adresse en {scheme} n’est pas possible.',
  'problem.uriUserinfo': 'Elle contient un nom d’utilisateur ou un mot de passe devant l’hôte.',
  'problem.uriHttp':
    'Sans TLS, seuls localhost, 127.0.0.1 et [::1] sont possibles. Utilisez https: pour tous les autres hôtes.',
  'problem.uriPrivateScheme': 'Le schéma d’une app doit contenir un point, comme com.example.app:/callback.',
  'problem.uriQuery': 'Sa requête contient {parameter}, que la réponse ajoute elle-même.',
  'problem.pageNotAbsolute': 'Ce n’est pas une adresse complète, comme https://app.example/about.',
  'problem.pageScheme': 'L’adresse doit commencer par https://.',
  'problem.scopeUnknown': 'L’autorisation {scope} n’existe pas.',
  'problem.grantTypeUnknown': 'Le type d’octroi {grantType} n’est pas proposé ici.',
  'problem.grantTypeMissing': 'Choisissez au moins un moyen d’obtenir un accès.',
  'problem.grantTypeOnlyRefresh':
    'Les jetons de renouvellement accompagnent un autre moyen d’obtenir un accès. Choisissez-en aussi un.',
  'problem.authenticationUnknown': 'Choisissez comment elle prouve que c’est bien elle.',
  'problem.jwksMissing': 'Saisissez les clés publiques.',
  'problem.jwksNoJson': 'Les clés ne sont pas du JSON valide.',
  'problem.jwksNoSet': 'Ce n’est pas un jeu de clés. Il a cette forme : {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount':
    'Le jeu contient {count, plural, one {# clé} other {# clés}}. Il peut y en avoir de 1 à {max}.',
  'problem.jwksTooLong': 'Les clés dépassent {max, plural, one {# caractère} other {# caractères}}.',
  'problem.jwksNoObject': 'Une clé du jeu n’est pas un objet JSON.',
  'problem.jwksPrivate':
    'C’est une clé privée ou secrète, que seul son propriétaire doit détenir. Ne l’utilisez plus : créez-en une autre et saisissez sa moitié publique.',
  'problem.jwksMembers':
    'Une clé a un membre d’un autre type que ne le disent les RFC 7517 et RFC 7518, ou un membre qui est un objet.',
  'problem.jwksKind': 'Une clé est d’un autre type (kty) que RSA, EC et OKP.',
  'problem.jwksRsaSize': 'Une clé RSA a moins de 2048 ou plus de 8192 bits.',
  'problem.jwksUriMissing': 'Saisissez l’adresse des clés publiques.',
  'problem.jwksUriNotUrl': 'L’adresse des clés n’est pas une URL.',
  'problem.jwksUriParts': 'L’adresse des clés contient un nom d’utilisateur, un mot de passe ou un fragment.',
  'problem.jwksUriScheme': 'L’adresse des clés doit commencer par https://.',

  'snippet.secret': 'CLIENT_SECRET vient de l’environnement',
  'snippet.key': 'CLIENT_PRIVATE_KEY vient de l’environnement : PKCS #8, en PEM',
  'snippet.certificate':
    'CLIENT_CERTIFICATE et CLIENT_KEY viennent de l’environnement : les chemins du certificat et de sa clé, en PEM',
  'snippet.assertion':
    'CLIENT_ASSERTION vient de l’environnement : un JWT signé par votre application (RFC 7523)',
  'snippet.svid': 'JWT_SVID vient de l’environnement : le JWT-SVID que SPIFFE a remis à votre programme',
  'snippet.open': 'ouvrez cette adresse dans un navigateur',
  'snippet.paste': 'le navigateur revient à l’URI de redirection : copiez-y le code',
  'snippet.begin': 'envoyez la personne à cette adresse et gardez les deux autres valeurs dans sa session',
  'snippet.finish': 'avec l’adresse complète à laquelle la personne est revenue',
};
